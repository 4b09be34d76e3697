/// The edits that the server refused, that other devices were faster with, or that a decision here made of another one, and that
/// are sent again.
///
/// An edit that conflicted although no field clashed is sent again at once. After some tries in a row it waits for the next sync,
/// longer each time. It is never held for that (Contract §3.3). The same holds for an accepted edit that another write overwrites
/// (Contract §12), and for the copies of a conflict that keeps both sides: a server could otherwise lead a sync to ever new POSTs
/// (I8).
package struct Postponed<Name: Hashable & Sendable>: Hashable, Sendable {
    /// The records that wait for the next sync, with the number of tries so far.
    package private(set) var tries: [Name: Int] = [:]

    /// How often an edit conflicted although no field clashed, until the server accepts one.
    private(set) var contended: [Name: Int] = [:]

    /// How often an accepted edit was sent again, or how many copies led to a record, in this sync and in those before it that
    /// ended with a wait for it.
    private(set) var repeated: [Name: Int] = [:]

    /// Notes a refused edit that a policy wants to retry.
    package mutating func noteRefusal(of name: Name, attempt: Int) { self.tries[name] = attempt }

    /// Notes an edit that conflicted although no field clashed.
    package mutating func noteContention(for name: Name, _ limits: ExchangeLimits) {
        let (count, limit) = (self.contended[name, default: 0] + 1, max(1, limits.rounds))
        self.contended[name] = count
        if count.isMultiple(of: limit) { self.tries[name] = count / limit }
    }

    /// Notes an edit that a decision here made of an accepted or a conflicting one.
    ///
    /// - Parameter former: The record of the former edit: the same one, or that of which it is a copy.
    fileprivate mutating func `repeat`(_ name: Name, after former: Name, _ limits: ExchangeLimits) {
        let (before, limit) = (self.repeated[former, default: 0], max(1, limits.rounds))
        self.repeated[name] = before + 1
        if before >= limit, before.isMultiple(of: limit) { self.tries[name] = before / limit }
    }

    /// Notes an accepted edit.
    package mutating func noteAccepted(_ name: Name) { self.contended[name] = nil }

    /// Whether other writers are the reason for all of them.
    package var isContention: Bool {
        self.tries.keys.allSatisfy { self.contended[$0] != nil || self.repeated[$0] != nil }
    }

    /// The largest number of tries before the last one.
    var triesBefore: Int { max(0, (self.tries.values.max() ?? 1) - 1) }

    /// Clears the records that waited for the next sync.
    mutating func endSync() {
        self.repeated = self.repeated.filter { self.tries[$0.key] != nil }
        self.tries = [:]
    }
}

extension ExchangeMachine {
    /// Notes an accepted edit that is sent again, since the server shows the value from before it.
    package mutating func noteReturn(of name: Name, _ limits: ExchangeLimits) {
        if self.isUnderWay { self.postponed.repeat(name, after: name, limits) }
    }

    /// Notes a new record with one side of a conflict, since its create may conflict, too. Without a sync the user has decided, which
    /// is new input.
    package mutating func noteCopy(_ copy: Name, of name: Name, _ limits: ExchangeLimits) {
        if self.isUnderWay { self.postponed.repeat(copy, after: name, limits) }
    }
}
