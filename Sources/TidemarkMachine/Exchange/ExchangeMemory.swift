/// The state of an exchange that outlives the process: failures, and what follows from them.
///
/// A process may be started for one sync and then end. Without this state no batch would be halved, no poison be found (Contract
/// §3.6), and the feed not be read after a POST that failed (§3.1).
package struct ExchangeMemory<Name: Hashable & Sendable, Failure: Hashable & Sendable>: Hashable, Sendable {
    /// The number of edits in a POST: smaller after a batch failed as a whole; nil for the limit.
    package internal(set) var batchSize: Int?

    /// The number of rows on a page: smaller after an answer was too large; nil for the limit.
    package internal(set) var pageSize: Int?

    /// The number of consecutive failed tries.
    package internal(set) var attempts = 0

    /// The number of consecutive POSTs that may have failed because of their edits.
    package internal(set) var failedPosts = 0

    /// Whether the feed is read before the next POST, since the last POST failed as a whole.
    package internal(set) var readsFirst = false

    /// The evidence about records that failed alone.
    package internal(set) var poison = PoisonEvidence<Name>()

    /// The number of the last request before the credentials were renewed; nil once the answer to a later request has named the
    /// account. An answer to an older request says nothing about the new credentials.
    package internal(set) var renewedAfter: Int?

    /// The failure of the last POST that failed; nil once a POST has succeeded.
    package internal(set) var postFailure: Failure?

    /// Makes the state before any failure.
    package init() {}

    /// The state instead of one that can't be read. It may have said that the last POST failed, or that the credentials were
    /// renewed: so the feed is read first, and nothing is sent before an answer names the account (Contract §3.1).
    package static var unreadable: Self {
        var memory = Self()
        memory.readsFirst = true
        memory.renewedAfter = 0
        return memory
    }

    /// Whether credentials were renewed and no answer has named their account yet.
    package var isAccountUnconfirmed: Bool { self.renewedAfter != nil }

    /// Clears the counts of failures.
    mutating func forgetFailures() {
        self.attempts = 0
        self.postFailure = nil
        self.failedPosts = 0
    }
}

extension ExchangeMemory: Codable where Name: Codable, Failure: Codable {
    private enum Member: String, CodingKey {
        case batchSize, pageSize, attempts, failedPosts, readsFirst, suspect, last, hasSeveral, canWrite, postFailure
        case isAccountUnconfirmed
    }

    /// The largest count that is read; a larger one was not written by this program.
    private static var largestCount: Int { 1 << 30 }

    /// Reads the output of ``encode(to:)``. A missing member has its initial value; a number out of its range is an error.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        func flag(_ member: Member) throws -> Bool { try members.decodeIfPresent(Bool.self, forKey: member) ?? false }
        func number(_ member: Member, from least: Int) throws -> Int? {
            let number = try members.decodeIfPresent(Int.self, forKey: member)
            guard number.map({ (least...Self.largestCount).contains($0) }) ?? true else {
                throw DecodingError.dataCorruptedError(
                    forKey: member, in: members, debugDescription: "the number is out of its range")
            }
            return number
        }
        self.batchSize = try number(.batchSize, from: 1)
        self.pageSize = try number(.pageSize, from: 1)
        self.attempts = try number(.attempts, from: 0) ?? 0
        self.failedPosts = try number(.failedPosts, from: 0) ?? 0
        self.readsFirst = try flag(.readsFirst)
        self.poison = PoisonEvidence(
            suspect: try members.decodeIfPresent(Name.self, forKey: .suspect),
            last: try members.decodeIfPresent(Name.self, forKey: .last),
            hasSeveral: try flag(.hasSeveral), canWrite: try flag(.canWrite))
        // Requests are counted anew in each process.
        self.renewedAfter = try flag(.isAccountUnconfirmed) ? 0 : nil
        self.postFailure = try members.decodeIfPresent(Failure.self, forKey: .postFailure)
    }

    /// Writes the members that differ from their initial values: an empty object before any failure.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        func write(_ flag: Bool, _ member: Member) throws { if flag { try members.encode(true, forKey: member) } }
        func write(count: Int, _ member: Member) throws { if count > 0 { try members.encode(count, forKey: member) } }
        try members.encodeIfPresent(self.batchSize, forKey: .batchSize)
        try members.encodeIfPresent(self.pageSize, forKey: .pageSize)
        try write(count: self.attempts, .attempts)
        try write(count: self.failedPosts, .failedPosts)
        try write(self.readsFirst, .readsFirst)
        try members.encodeIfPresent(self.poison.suspect, forKey: .suspect)
        try members.encodeIfPresent(self.poison.last, forKey: .last)
        try write(self.poison.hasSeveral, .hasSeveral)
        try write(self.poison.canWrite, .canWrite)
        try write(self.isAccountUnconfirmed, .isAccountUnconfirmed)
        try members.encodeIfPresent(self.postFailure, forKey: .postFailure)
    }
}
