package import TidemarkJSON
import TidemarkMachine

/// What the record machine has to know about JSON records and patches (SPEC §4).
package struct JSONChanges: ChangeAlgebra {
    /// A whole record.
    package typealias Content = RecordPayload

    /// An RFC 6902 patch in canonical form.
    package typealias Change = JSONPatch

    /// A stored patch or record that does not fit can only be a damaged store.
    package typealias Failure = TidemarkError

    /// The rules that decide whether two changes of a field clash.
    package let fields: FieldRules

    /// The members that are not the app's: they take no part in anything here, and stand as the server has them.
    package let members: RecordMembers

    /// Makes the algebra of a collection.
    package init(fields: FieldRules = FieldRules(), members: RecordMembers = RecordMembers()) {
        self.fields = fields
        self.members = members
    }

    /// What of a record is compared: all but the members that are not the app's.
    package func compared(_ content: RecordPayload) throws(TidemarkError) -> JSON {
        let json = try content.json()
        return self.members.isEmpty ? json : self.members.removed(from: json)
    }

    /// What of a record is compared; nil where there is none.
    package func compared(_ content: RecordPayload?) throws(TidemarkError) -> JSON? {
        guard let content else { return nil }
        return try self.compared(content) as JSON
    }

    /// The canonical patch; nil when both are equal by value.
    package func change(from base: RecordPayload?, to content: RecordPayload) throws(TidemarkError) -> JSONPatch? {
        let patch = JSONPatch.diff(from: try self.compared(base), to: try self.compared(content))
        return patch.isEmpty ? nil : patch
    }

    /// One `add` or `replace` at the root (R23); nil when both are equal by value.
    package func replacement(of base: RecordPayload?, by content: RecordPayload) throws(TidemarkError) -> JSONPatch? {
        let content: JSON = try self.compared(content)
        guard let base = try self.compared(base) else { return JSONPatch([.add(.root, content)]) }
        return base == content ? nil : JSONPatch([.replace(.root, content)])
    }

    /// The record that a patch leads to.
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

    /// The merge by the collection's rules; where they clash, the client's values over the server's.
    package func merge(
        base: RecordPayload?, server: RecordPayload, client: RecordPayload
    ) throws(TidemarkError) -> (content: RecordPayload, clashes: Bool) {
        let whole = try server.json()
        let base = try self.compared(base)
        let (server, client): (JSON, JSON) = (try self.compared(server), try self.compared(client))
        let merge = self.fields.merge(base: base, server: server, client: client)
        guard !merge.clashes.isEmpty else { return (self.shown(merge.merged ?? client, over: whole), false) }
        let overlay = self.fields.mergeKeepingClient(base: base, server: server, client: client)
        return (self.shown(overlay.merged ?? client, over: whole), true)
    }

    /// A merged record, with what is the server's in it.
    private func shown(_ merged: JSON, over server: JSON) -> RecordPayload {
        RecordPayload(self.members.isEmpty ? merged : self.members.copied(from: server, into: merged))
    }

    /// Whether a record has, on every path that was sent, what was sent (R18).
    package func shows(_ change: JSONPatch, in content: RecordPayload) throws(TidemarkError) -> Bool {
        let content: JSON = try self.compared(content)
        do {
            return try change.isHeld(by: content)
        } catch {
            throw .damaged("what was sent of it can't be compared", error)
        }
    }
}
