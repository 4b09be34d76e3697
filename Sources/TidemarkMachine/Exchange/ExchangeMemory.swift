/// What an exchange keeps in mind of what went wrong. It outlives a process that is started for one sync and then ends:
/// without it a batch would never be halved, no record ever be found alone with its failure (SPEC §3.6), and the feed not be
/// read after a POST that failed (§3.1).
package struct ExchangeMemory<Name: Hashable & Sendable, Failure: Hashable & Sendable>: Hashable, Sendable {
    /// How many edits go at a time: fewer after a batch failed as a whole; nil for as many as can.
    package internal(set) var batchSize: Int?

    /// How many rows a page brings: fewer after an answer was too large; nil for as many as can.
    package internal(set) var pageSize: Int?

    /// How many tries failed in a row.
    package internal(set) var attempts = 0

    /// How many POSTs failed in a row that may have failed for what they carried.
    package internal(set) var failedPosts = 0

    /// Whether the feed is read before the next POST: the last one failed as a whole.
    package internal(set) var readsFirst = false

    /// What the records say that failed alone.
    package internal(set) var loners = LoneFailures<Name>()

    /// The last request that went out before credentials were renewed; nil once the answer to a later one has shown whose
    /// they are. What comes to an older request says nothing of the new ones.
    package internal(set) var renewedAfter: Int?

    /// What the last POST that failed failed with; nil once one has worked.
    package internal(set) var postFailure: Failure?

    /// Nothing has gone wrong.
    package init() {}

    /// Whether credentials were renewed and no answer has shown yet whose they are.
    package var isAccountInDoubt: Bool { self.renewedAfter != nil }

    /// Nothing that failed counts any more.
    mutating func forgetFailures() {
        self.attempts = 0
        self.postFailure = nil
        self.failedPosts = 0
    }
}

extension ExchangeMemory: Codable where Name: Codable, Failure: Codable {
    private enum Member: String, CodingKey {
        case batch, page, attempts, posts, read, suspect, lone, several, written, renewed, failure
    }

    /// Reads what ``encode(to:)`` has written; what is missing has not gone wrong.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        func flag(_ member: Member) throws -> Bool { try members.decodeIfPresent(Bool.self, forKey: member) ?? false }
        self.batchSize = try members.decodeIfPresent(Int.self, forKey: .batch)
        self.pageSize = try members.decodeIfPresent(Int.self, forKey: .page)
        self.attempts = try members.decodeIfPresent(Int.self, forKey: .attempts) ?? 0
        self.failedPosts = try members.decodeIfPresent(Int.self, forKey: .posts) ?? 0
        self.readsFirst = try flag(.read)
        self.loners = LoneFailures(
            suspect: try members.decodeIfPresent(Name.self, forKey: .suspect),
            last: try members.decodeIfPresent(Name.self, forKey: .lone),
            areSeveral: try flag(.several), canWrite: try flag(.written))
        // Requests are counted anew in each process.
        self.renewedAfter = try flag(.renewed) ? 0 : nil
        self.postFailure = try members.decodeIfPresent(Failure.self, forKey: .failure)
    }

    /// Writes what has gone wrong, and nothing of what has not: an empty object where all is well.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        func write(_ flag: Bool, _ member: Member) throws { if flag { try members.encode(true, forKey: member) } }
        func write(count: Int, _ member: Member) throws { if count > 0 { try members.encode(count, forKey: member) } }
        try members.encodeIfPresent(self.batchSize, forKey: .batch)
        try members.encodeIfPresent(self.pageSize, forKey: .page)
        try write(count: self.attempts, .attempts)
        try write(count: self.failedPosts, .posts)
        try write(self.readsFirst, .read)
        try members.encodeIfPresent(self.loners.suspect, forKey: .suspect)
        try members.encodeIfPresent(self.loners.last, forKey: .lone)
        try write(self.loners.areSeveral, .several)
        try write(self.loners.canWrite, .written)
        try write(self.isAccountInDoubt, .renewed)
        try members.encodeIfPresent(self.postFailure, forKey: .failure)
    }
}
