#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How many files and sockets the process may have open at once.
enum DescriptorLimit {
    /// What is needed besides connections: the database, its log, who is being hung up on.
    private static let others = 64

    /// Makes room for so many connections, as far as the system allows; many systems begin with 256 or 1,024.
    static func raise(to connections: Int) {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return }
        let wanted = min(rlim_t(connections + self.others), limit.rlim_max)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        // Where it is refused, the library stops accepting for a while when the descriptors are used up.
        _ = unsafe setrlimit(resource, &limit)
    }
}
