public import TidemarkJSON
package import TidemarkRules

/// One immutable edit of a request, in a form that can be translated for any server.
///
/// The engine makes the bytes of an edit before it is first sent, and sends the same bytes each time (R17, I5). Every property
/// here follows from these bytes and from the content that the edit was made on, and neither changes until the edit is settled:
/// a remote that translates an edit gets the same translation each time.
///
/// The condition of the write is ``version``, and never the cursor of the request, whatever a server calls its states: a
/// version tells on which content the edit was made, a cursor only how far the feed was read (W1).
///
/// ```swift
/// func put(_ upload: UploadRequest) throws -> (condition: String, body: [UInt8])? {
///     guard let record = try upload.record() else { return nil }        // a delete
///     return (upload.version.map { "If-Match: \($0)" } ?? "If-None-Match: *", record.bytes)
/// }
/// ```
public struct UploadRequest: Hashable, Sendable {
    /// The operation of an edit.
    public enum Intent: String, Hashable, Sendable {
        /// Create the record.
        case create = "CREATED"

        /// Change the record.
        case edit = "EDITED"

        /// Delete the record.
        case delete = "DELETED"
    }

    /// The id by which a result refers to the edit (W4).
    public var requestID: String

    /// The pk of the record.
    public var pk: String

    /// The server's name of the record, if the server makes the names (`RemoteCapabilities.Names`): the name in the last result
    /// or feed row. Nil for a create, and if pk is the name; also for another edit, if the server uses the name for another record
    /// now: then find the record by its pk. If there is none, an edit is `.conflicted(StoredVersion())`, and a delete is
    /// `.accepted(StoredVersion())`.
    public var name: String?

    /// The operation.
    public var intent: Intent

    /// The version that the edit was made on: the JSON text of `updated_at` in the server's row. Nil for a create of a record
    /// that the server does not have; a create over a tombstone has the tombstone's.
    public var version: String?

    /// The change, as a JSON Patch in the canonical form of Contract §4; nil for a delete. A create is one `add` at the root.
    public var patch: JSONPatch?

    /// The payload that the edit was made on, byte for byte as the server sent it (I4); nil for a create.
    public var base: [UInt8]?

    /// Whether the edit was sent before, so that the server may have accepted it already (R17).
    public var wasResent: Bool

    /// The EDIT of the wire (Contract §5), byte for byte the same each time it is sent (I5).
    public var encodedEdit: [UInt8]

    /// The members that do not belong to the app, from the ``RemoteCapabilities``: ``record(without:)`` and ``mergePatch()``
    /// leave the server's members out, and keep those that are only passed through.
    package var members = RecordMembers()

    /// Makes an edit of its parts.
    public init(
        requestID: String, pk: String, intent: Intent, version: String?, patch: JSONPatch?, base: [UInt8]?,
        wasResent: Bool, encodedEdit: [UInt8]
    ) {
        self.requestID = requestID
        self.pk = pk
        self.intent = intent
        self.version = version
        self.patch = patch
        self.base = base
        self.wasResent = wasResent
        self.encodedEdit = encodedEdit
    }
}

// MARK: - Forms for servers

extension UploadRequest {
    /// The whole record after the edit: for a server that does not support patches. Nil for a delete.
    ///
    /// The ``RemoteCapabilities/serverMembers`` are left out. Other members are as the server sent them, including the text of
    /// numbers and the order of keys.
    ///
    /// - Parameter members: Further members to leave out.
    /// - Throws: `JSONError` if the patch does not fit the base, also if a base is needed and missing.
    public func record(without members: [JSONPointer] = []) throws(JSONError) -> JSON? {
        guard let patch else { return nil }
        let base = try self.content()
        guard let content = try patch.apply(to: base) else { return nil }
        return members.reduce(self.members.sent(content, over: base, pk: self.pk)) { $0.removing($1.tokens[...]) }
    }

    /// The change as a JSON Patch (RFC 6902) of a document that contains the record at some place. Nil for a delete.
    ///
    /// ```swift
    /// let edit =
    ///     #"{"request_id":"r1","pk":"42","sync_state":"EDITED","updated_at":7,"edited_data":[{"op":"remove","path":"/a"}]}"#
    /// let upload = try UploadRequest(encodedEdit: Array(edit.utf8))
    /// print(upload.jsonPatch(under: try JSONPointer(parsing: "/data"))?.text ?? "")    // [{"op":"remove","path":"/data/a"}]
    /// ```
    public func jsonPatch(under place: JSONPointer = .root) -> JSONPatch? {
        guard let patch, !place.isRoot || !self.members.isEmpty else { return self.patch }
        return JSONPatch(patch.operations.map { self.whole($0).moved(under: place) })
    }

    /// The change as a merge patch (RFC 7396), for a PATCH. Nil for a create, for a delete, and if a merge patch can't express
    /// it, for example to set a member to null, which would remove it. Then send the whole record.
    ///
    /// - Throws: `JSONError` as ``record(without:)``.
    public func mergePatch() throws(JSONError) -> JSONMergePatch? {
        guard self.intent == .edit, let record = try self.record() else { return nil }
        let base = try self.content().map { self.members.sent($0, over: $0, pk: self.pk) }
        return JSONMergePatch.diff(from: base, to: record)
    }

    /// Returns an operation; if it writes the whole record, with the passed-through members added.
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
    /// This operation, for a larger document that contains the present document at `place`.
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
