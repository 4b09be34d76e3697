import CSystem

/// The limit of open files and sockets of the process.
enum DescriptorLimit {
    /// The number of descriptors besides connections: the database, its log, connections that are closing.
    private static let others = 64

    /// Raises the limit for a number of connections, as far as the system allows; many systems begin with 256 or 1,024.
    ///
    /// - Returns: The number of connections that are possible. A process that runs out of descriptors can fail anywhere.
    static func raise(to connections: Int) -> Int {
        var limit = rlimit()
        guard unsafe tidemark_get_descriptor_limit(&limit) == 0 else { return connections }
        let wanted = min(rlim_t(connections + self.others), limit.rlim_max)
        if limit.rlim_cur < wanted {
            let former = limit.rlim_cur
            limit.rlim_cur = wanted
            if unsafe tidemark_set_descriptor_limit(&limit) != 0 { limit.rlim_cur = former }
        }
        return limit.rlim_cur > rlim_t(Int32.max) ? connections : Int(limit.rlim_cur) - self.others
    }
}
