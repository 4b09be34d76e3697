/// What the records say that failed alone, each in a POST of its own (SPEC §3.6).
///
/// A record that fails alone while other exchanges work is poison. But now that a GET follows each POST that failed, an
/// exchange that works is no evidence for the server any more: one that takes nothing from anyone lets everyone read.
/// What tells the two apart is that poison spoils its own POST only. So a lone failure counts against its record if
///
/// - no other record has failed alone: there is nothing that the server is known to refuse besides it; or
/// - the server has taken another POST since the trouble began: it can be written to.
///
/// Otherwise several records fail one after the other and nothing goes through: it is the server, and none is held.
package struct LoneFailures<Name: Hashable & Sendable>: Hashable, Sendable {
    /// A record that failed alone; it counts against the record as soon as another exchange works.
    package internal(set) var suspect: Name?

    /// The record that failed alone last since a POST worked.
    package internal(set) var last: Name?

    /// Whether different records failed alone since a POST worked.
    package internal(set) var areSeveral = false

    /// Whether a POST has worked while something was still in trouble.
    package internal(set) var canWrite = false

    /// Nothing has failed.
    package init(suspect: Name? = nil, last: Name? = nil, areSeveral: Bool = false, canWrite: Bool = false) {
        self.suspect = suspect
        self.last = last
        self.areSeveral = areSeveral
        self.canWrite = canWrite
    }

    /// Whether nothing speaks for a server that can be written to.
    package var isServerToBlame: Bool { self.areSeveral && !self.canWrite }

    /// A record failed alone.
    mutating func note(_ name: Name) {
        if let last, last != name { self.areSeveral = true }
        self.last = name
    }

    /// A POST worked.
    mutating func noteWrite() {
        self.last = nil
        self.areSeveral = false
        self.canWrite = true
    }
}
