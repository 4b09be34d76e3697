public import TidemarkJSON
public import TidemarkMachine

/// What the record machine has to know about JSON records and patches (SPEC §4).
public struct JSONChanges: ChangeAlgebra {
    /// A whole record.
    public typealias Content = RecordPayload

    /// An RFC 6902 patch in canonical form.
    public typealias Change = JSONPatch

    /// A stored patch or record that does not fit can only be a damaged store.
    public typealias Failure = TidemarkError

    /// The rules that decide whether two changes of a field clash.
    public let fields: FieldRules

    /// Makes the algebra of a collection.
    public init(fields: FieldRules = FieldRules()) {
        self.fields = fields
    }

    /// The canonical patch; nil when both are equal by value.
    public func change(from base: RecordPayload?, to content: RecordPayload) throws(TidemarkError) -> JSONPatch? {
        let patch = JSONPatch.diff(from: try base?.json(), to: try content.json())
        return patch.isEmpty ? nil : patch
    }

    /// One `add` or `replace` at the root (R23); nil when both are equal by value.
    public func replacement(of base: RecordPayload?, by content: RecordPayload) throws(TidemarkError) -> JSONPatch? {
        let content = try content.json()
        guard let base = try base?.json() else { return JSONPatch([.add(.root, content)]) }
        return base == content ? nil : JSONPatch([.replace(.root, content)])
    }

    /// The record that a patch leads to.
    public func apply(_ change: JSONPatch, to base: RecordPayload?) throws(TidemarkError) -> RecordPayload {
        let base = try base?.json()
        do {
            guard let content = try change.apply(to: base) else {
                throw JSONError(.shape, "the patch removes the record")
            }
            return RecordPayload(content)
        } catch {
            throw .damaged("its pending change does not fit its content", error)
        }
    }

    /// The merge by the collection's rules; where they clash, the client's values over the server's.
    public func merge(
        base: RecordPayload?, server: RecordPayload, client: RecordPayload
    ) throws(TidemarkError) -> (content: RecordPayload, clashes: Bool) {
        let (base, server, client) = (try base?.json(), try server.json(), try client.json())
        let merge = self.fields.merge(base: base, server: server, client: client)
        guard !merge.clashes.isEmpty else { return (RecordPayload(merge.merged ?? client), false) }
        let overlay = self.fields.mergeKeepingClient(base: base, server: server, client: client)
        return (RecordPayload(overlay.merged ?? client), true)
    }

    /// Whether a record has, on every path that was sent, what was sent (R18).
    public func shows(_ change: JSONPatch, in content: RecordPayload) throws(TidemarkError) -> Bool {
        let content = try content.json()
        do {
            return try change.isHeld(by: content)
        } catch {
            throw .damaged("what was sent of it can't be compared", error)
        }
    }
}
