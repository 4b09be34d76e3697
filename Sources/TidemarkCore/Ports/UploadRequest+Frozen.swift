public import TidemarkJSON

// Making an upload from the bytes of an EDIT.

extension UploadRequest {
    /// Reads an EDIT of the wire (Contract §5), for tests of a remote. The engine makes an upload from its parts.
    ///
    /// ```swift
    /// let edit = #"{"request_id":"r1","pk":"42","sync_state":"DELETED","updated_at":7}"#
    /// let upload = try UploadRequest(encodedEdit: Array(edit.utf8))
    /// print(upload.version ?? "none")               // 7
    /// ```
    ///
    /// - Parameters:
    ///   - encodedEdit: The JSON text of the EDIT; it is kept unchanged.
    ///   - base: The payload that the edit was made on; an EDIT does not contain it.
    ///   - wasResent: Whether the server may have the edit already.
    /// - Throws: `JSONError` if the text is not an EDIT.
    public init(encodedEdit: [UInt8], base: [UInt8]? = nil, wasResent: Bool = false) throws(JSONError) {
        let edit = try JSON(parsing: encodedEdit)
        guard let requestID = edit["request_id"]?.string, let pk = edit["pk"]?.string else {
            throw JSONError(.shape, "an edit must have a request_id and a pk, which are strings")
        }
        guard let intent = edit["sync_state"]?.string.flatMap(Intent.init) else {
            throw JSONError(
                .shape, "the sync_state of an edit must be CREATED, EDITED or DELETED", pointer: "/sync_state")
        }
        let version = edit["updated_at"].flatMap { $0.isNull ? nil : $0.text }
        let patch = try edit["edited_data"].map { (json) throws(JSONError) in try JSONPatch(json: json) }
        guard intent == .delete || patch != nil else {
            throw JSONError(.shape, "an edit that is not a delete must have edited_data")
        }
        self.init(
            requestID: requestID, pk: pk, intent: intent, version: version, patch: intent == .delete ? nil : patch,
            base: base, wasResent: wasResent, encodedEdit: encodedEdit)
    }
}
