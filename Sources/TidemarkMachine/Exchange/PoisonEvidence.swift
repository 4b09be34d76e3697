/// Evidence for poison: a record that makes each POST fail which carries it (Contract §3.6).
///
/// A record whose POST failed with no other record in it is a suspect. Its failure counts as soon as another exchange succeeds. A
/// successful GET alone is no evidence that the server accepts writes, since a server may reject every write and still serve reads.
/// So the failure counts against the record if
///
/// - no other record has failed alone, or
/// - the server has accepted another POST since the first failure.
///
/// Otherwise several records fail one after the other and no POST succeeds: the server is the cause, and no record is held.
package struct PoisonEvidence<Name: Hashable & Sendable>: Hashable, Sendable {
    /// The record that failed alone; its failure counts as soon as another exchange succeeds.
    package internal(set) var suspect: Name?

    /// The last record that failed alone since a POST succeeded.
    package internal(set) var last: Name?

    /// Whether different records failed alone since a POST succeeded.
    package internal(set) var hasSeveral = false

    /// Whether a POST has succeeded since the first failure.
    package internal(set) var canWrite = false

    /// Whether the server, and no record, is the cause of the failures.
    package var isServerToBlame: Bool { self.hasSeveral && !self.canWrite }

    /// A record failed alone.
    mutating func note(_ name: Name) {
        if let last, last != name { self.hasSeveral = true }
        self.last = name
    }

    /// A POST succeeded.
    mutating func noteWrite() {
        self.last = nil
        self.hasSeveral = false
        self.canWrite = true
    }
}
