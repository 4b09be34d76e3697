package import TidemarkJSON

/// The operations on JSON records and patches that the record machine needs (Contract §4).
///
/// A stored patch or record that does not fit means that the store is damaged.
package struct JSONChanges: Sendable {
    /// The rules that decide whether two changes of a field clash.
    package let fields: FieldRules

    /// The members that do not belong to the app: all operations here leave them out, and they keep the server's values.
    package let members: RecordMembers

    /// The large merges of the present input; nil if it makes each where it needs it.
    private let large: LargeMerges?

    /// Makes the algebra of a collection.
    package init(
        fields: FieldRules = FieldRules(), members: RecordMembers = RecordMembers(), large: LargeMerges? = nil
    ) {
        self.fields = fields
        self.members = members
        self.large = large
    }

    /// Returns the compared part of a record: all but the members that do not belong to the app.
    package func compared(_ content: RecordPayload) throws(TidemarkError) -> JSON {
        let json = try content.json()
        return self.members.isEmpty ? json : self.members.removed(from: json)
    }

    /// Returns the compared part of a record; nil for no record.
    package func compared(_ content: RecordPayload?) throws(TidemarkError) -> JSON? {
        guard let content else { return nil }
        return try self.compared(content) as JSON
    }

    /// Returns the canonical patch; nil when both are equal by value.
    package func change(from base: RecordPayload?, to content: RecordPayload) throws(TidemarkError) -> JSONPatch? {
        let patch = JSONPatch.diff(from: try self.compared(base), to: try self.compared(content))
        return patch.isEmpty ? nil : patch
    }

    /// Returns one `add` or `replace` at the root (R23); nil when both are equal by value.
    package func replacement(of base: RecordPayload?, by content: RecordPayload) throws(TidemarkError) -> JSONPatch? {
        let content: JSON = try self.compared(content)
        guard let base = try self.compared(base) else { return JSONPatch([.add(.root, content)]) }
        return base == content ? nil : JSONPatch([.replace(.root, content)])
    }

    /// Returns the record that a patch leads to.
    package func apply(_ change: JSONPatch, to base: RecordPayload?) throws(TidemarkError) -> RecordPayload {
        let base = try base?.json()
        do {
            guard let content = try change.apply(to: base) else {
                throw JSONError(.shape, "the patch removes the record")
            }
            return RecordPayload(self.members.isEmpty ? content : self.members.copied(from: base, into: content))
        } catch {
            throw .damaged("its pending change does not fit its content", error)
        }
    }

    /// Merges by the collection's rules.
    package func merge(
        base: RecordPayload?, server: RecordPayload, client: RecordPayload
    ) throws(TidemarkError) -> RecordMerge {
        RecordMerge(base: try base?.json(), server: try server.json(), client: try client.json(), self)
    }

    /// Merges the compared parts of records.
    ///
    /// - Parameter isKeepingClient: Whether the client's value wins whenever a value would be lost.
    package func merge(_ sides: JSONMerge.Sides, isKeepingClient: Bool = false) -> JSONMerge {
        self.large?.merge(sides, isKeepingClient: isKeepingClient)
            ?? self.fields.merge(sides, isKeepingClient: isKeepingClient)
    }

    /// Returns whether a record has the uploaded value on every uploaded path (R18).
    package func shows(_ change: JSONPatch, in content: RecordPayload) throws(TidemarkError) -> Bool {
        let content: JSON = try self.compared(content)
        do {
            return try change.isHeld(by: content)
        } catch {
            throw .damaged("its upload can't be compared", error)
        }
    }
}
