package import TidemarkJSON

/// Both sides of a record, and their merge by the rules of the collection (Contract §4).
///
/// The merge of an open conflict is made once, and passed from the machine to the tactic and to the journal within an input. It
/// follows from the three values and the rules: it is neither stored nor compared, and a conflict that is read from the store is
/// merged again (R22).
package final class RecordMerge: Sendable {
    /// The compared parts of the records, without the members that do not belong to the app.
    package let sides: JSONMerge.Sides

    /// The merge by the rules.
    package let result: JSONMerge

    /// The server's whole record.
    private let server: JSON?
    private let algebra: JSONChanges

    /// Merges two whole records. Nil is a record that was deleted, or a base that does not exist.
    package init(base: JSON?, server: JSON?, client: JSON?, _ algebra: JSONChanges) {
        self.sides = JSONMerge.Sides(
            base: base.map(algebra.members.removed), server: server.map(algebra.members.removed),
            client: client.map(algebra.members.removed))
        self.result = algebra.merge(self.sides)
        self.server = server
        self.algebra = algebra
    }

    /// The rules that merged them.
    var fields: FieldRules { self.algebra.fields }

    /// Whether a value of a side lost, by any decision.
    package var hasClashes: Bool { !self.result.clashes.isEmpty }

    /// The merged record as the rules decide.
    package var byRules: RecordPayload { self.shown(self.result) }

    /// The merged record in which the client's value wins whenever a value would be lost.
    package var keepingClient: RecordPayload {
        self.shown(self.hasClashes ? self.algebra.merge(self.sides, isKeepingClient: true) : self.result)
    }

    /// The merged record with the server's members; nil if a side is a deletion.
    package var merged: JSON? {
        guard self.sides.server != nil, self.sides.client != nil else { return nil }
        return self.result.merged.map { self.algebra.members.copied(from: self.server, into: $0) }
    }

    private func shown(_ merge: JSONMerge) -> RecordPayload {
        let record = merge.merged ?? self.sides.client ?? [:]
        return RecordPayload(self.algebra.members.copied(from: self.server, into: record))
    }
}
