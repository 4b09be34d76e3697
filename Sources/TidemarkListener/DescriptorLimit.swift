import CSystem

/// How many files and sockets the process may have open at once.
enum DescriptorLimit {
    /// What is needed besides connections: the database, its log, who is being hung up on.
    private static let others = 64

    /// Makes room for so many connections, as far as the system allows; many systems begin with 256 or 1,024.
    static func raise(to connections: Int) {
        var limit = rlimit()
        guard unsafe tidemark_get_descriptor_limit(&limit) == 0 else { return }
        let wanted = min(rlim_t(connections + self.others), limit.rlim_max)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        // Where it is refused, the library stops accepting for a while when the descriptors are used up.
        _ = unsafe tidemark_set_descriptor_limit(&limit)
    }
}
