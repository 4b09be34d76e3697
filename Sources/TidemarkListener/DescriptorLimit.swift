import CSystem

/// How many files and sockets the process may have open at once.
enum DescriptorLimit {
    /// What is needed besides connections: the database, its log, who is being hung up on.
    private static let others = 64

    /// Makes room for so many connections, as far as the system allows; many systems begin with 256 or 1,024.
    ///
    /// - Returns: For how many there is room. Where all are used up, a process ends at whatever needs one more.
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
