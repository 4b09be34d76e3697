public import TidemarkJSON
package import TidemarkRules

/// One frozen edit of a request, in words that any server can be told in.
///
/// The engine freezes an edit before it is first sent, and sends it again as it was (R17, I5). Everything here is a function of
/// the frozen bytes and of the content they were made on, and neither changes until the edit is settled: a remote that puts
/// an edit into other words puts it into the same words each time.
///
/// The condition of the write is ``version``, and never the watermark of the request, whatever a server calls its states: a
/// version says what the edit was made on, a watermark only what was read (W1).
///
/// ```swift
/// func put(_ upload: UploadRequest) throws -> (condition: String, body: [UInt8])? {
///     guard let record = try upload.record() else { return nil }        // a delete
///     return (upload.version.map { "If-Match: \($0)" } ?? "If-None-Match: *", record.bytes)
/// }
/// ```
public struct UploadRequest: Hashable, Sendable {
    /// What an edit asks for.
    public enum Intent: String, Hashable, Sendable {
        /// Make the record.
        case create = "CREATED"

        /// Change the record.
        case edit = "EDITED"

        /// Delete the record.
        case delete = "DELETED"
    }

    /// The name under which a result answers it (W4).
    public var requestID: String

    /// The record.
    public var pk: String

    /// The server's own name of the record, where it makes the names (`RemoteCapabilities.Names`): what the last
    /// result, or row of the feed, has named. Nil for a create, and where pk is the name.
    public var name: String?

    /// What it asks for.
    public var intent: Intent

    /// The version that the edit was made on: the JSON text of `updated_at`, as the server's row had it. Nil for a create over
    /// nothing; a create over a tombstone names the tombstone's.
    public var version: String?

    /// The change, as a JSON Patch in the canonical form of SPEC §4; nil for a delete. A create is one `add` at the root.
    public var patch: JSONPatch?

    /// The payload that the edit was made on, byte for byte as the server sent it (I4); nil for a create.
    public var base: [UInt8]?

    /// Whether it was sent before, so that the server may have taken it already (R17).
    public var wasResent: Bool

    /// The EDIT of the wire (SPEC §5), byte for byte the same each time it is sent (I5).
    public var frozen: [UInt8]

    /// What of the record is not the app's, as ``RemoteCapabilities`` say it: ``record(without:)`` and ``mergePatch()`` leave the
    /// server's members out, and keep those that only travel.
    package var members = RecordMembers()

    /// Names the parts of an edit.
    public init(
        requestID: String, pk: String, intent: Intent, version: String?, patch: JSONPatch?, base: [UInt8]?,
        wasResent: Bool, frozen: [UInt8]
    ) {
        self.requestID = requestID
        self.pk = pk
        self.intent = intent
        self.version = version
        self.patch = patch
        self.base = base
        self.wasResent = wasResent
        self.frozen = frozen
    }
}

// MARK: - The forms that servers take

extension UploadRequest {
    /// The whole record after the edit: what a server takes that knows no patches. Nil for a delete.
    ///
    /// What ``RemoteCapabilities/serverMembers`` name is left out. Other members are as the server sent them, text of numbers
    /// and order of keys included.
    ///
    /// - Parameter members: What else is left out.
    /// - Throws: `JSONError` where the patch does not fit the base, as it does where there should be a base and is none.
    public func record(without members: [JSONPointer] = []) throws(JSONError) -> JSON? {
        guard let patch else { return nil }
        let base = try self.content()
        guard let content = try patch.apply(to: base) else { return nil }
        return members.reduce(self.members.sent(content, over: base, pk: self.pk)) { $0.removing($1.tokens[...]) }
    }

    /// The change as a JSON Patch (RFC 6902) of a document in which the record lies at some place. Nil for a delete.
    ///
    /// ```swift
    /// let edit =
    ///     #"{"request_id":"r1","pk":"42","sync_state":"EDITED","updated_at":7,"edited_data":[{"op":"remove","path":"/a"}]}"#
    /// let upload = try UploadRequest(frozen: Array(edit.utf8))
    /// print(upload.jsonPatch(under: try JSONPointer(parsing: "/data"))?.text ?? "")    // [{"op":"remove","path":"/data/a"}]
    /// ```
    public func jsonPatch(under place: JSONPointer = .root) -> JSONPatch? {
        guard let patch, !place.isRoot || !self.members.isEmpty else { return self.patch }
        return JSONPatch(patch.operations.map { self.whole($0).moved(under: place) })
    }

    /// The change as a merge patch (RFC 7396). Nil for a delete, and where no merge patch says it: one that sets a member to
    /// null would remove it. Send the whole record, then.
    ///
    /// - Throws: `JSONError` as ``record(without:)``.
    public func mergePatch() throws(JSONError) -> JSONMergePatch? {
        guard let record = try self.record() else { return nil }
        let base = try self.content().map { self.members.sent($0, over: $0, pk: self.pk) }
        return JSONMergePatch.diff(from: base, to: record)
    }

    /// An operation; one that writes the whole record does so with what is sent of it besides.
    private func whole(_ operation: JSONPatch.Operation) -> JSONPatch.Operation {
        func sent(_ record: JSON) -> JSON { self.members.sent(record, over: try? self.content(), pk: self.pk) }
        if case .add(.root, let record) = operation { return .add(.root, sent(record)) }
        if case .replace(.root, let record) = operation { return .replace(.root, sent(record)) }
        return operation
    }

    private func content() throws(JSONError) -> JSON? {
        guard let base else { return nil }
        return try JSON(parsing: base)
    }
}

extension JSONPatch.Operation {
    /// The same, of a document in which the former one lies at a place.
    fileprivate func moved(under place: JSONPointer) -> Self {
        switch self {
        case .add(let path, let value): .add(place.appending(path), value)
        case .remove(let path): .remove(place.appending(path))
        case .replace(let path, let value): .replace(place.appending(path), value)
        case .move(let from, let path): .move(from: place.appending(from), to: place.appending(path))
        case .copy(let from, let path): .copy(from: place.appending(from), to: place.appending(path))
        case .test(let path, let value): .test(place.appending(path), value)
        }
    }
}
