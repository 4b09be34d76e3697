/// The edits that the server refused, or that other devices were faster with, and that are sent again.
///
/// An edit that conflicted although no field clashed is sent again at once. After some tries in a row it waits for the next sync,
/// longer each time. It is never held for that (Contract §3.3).
package struct Postponed<Name: Hashable & Sendable>: Hashable, Sendable {
    /// The records that wait for the next sync, with the number of tries so far.
    package private(set) var tries: [Name: Int] = [:]

    /// How often an edit conflicted although no field clashed, until the server accepts one.
    private(set) var contended: [Name: Int] = [:]

    /// Notes a refused edit that a policy wants to retry.
    package mutating func noteRefusal(of name: Name, attempt: Int) { self.tries[name] = attempt }

    /// Notes an edit that conflicted although no field clashed.
    package mutating func noteContention(for name: Name, _ limits: ExchangeLimits) {
        let (count, limit) = (self.contended[name, default: 0] + 1, max(1, limits.rounds))
        self.contended[name] = count
        if count.isMultiple(of: limit) { self.tries[name] = count / limit }
    }

    /// Notes an accepted edit.
    package mutating func noteAccepted(_ name: Name) { self.contended[name] = nil }

    /// Whether contention is the reason for all of them.
    package var isContention: Bool { self.tries.keys.allSatisfy { self.contended[$0] != nil } }

    /// The largest number of tries before the last one.
    var triesBefore: Int { max(0, (self.tries.values.max() ?? 1) - 1) }

    /// Clears the records that waited for the next sync.
    mutating func endSync() { self.tries = [:] }
}
