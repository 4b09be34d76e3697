extension JSONPatch {
    /// Reads a patch from its JSON text (RFC 6902 section 3).
    ///
    /// - Throws: `JSONError` where the text is no JSON, or no patch: then with the code `.patch` and the pointer of
    ///   what is wrong inside the patch.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
        let (json, warnings) = try JSON.parse(bytes, limits: limits)
        for warning in warnings where JSONPatch.isOperationMember(warning.pointer) {
            throw .repeatedMember(warning)
        }
        try self.init(json: json)
    }

    /// Reads a patch from a string, such as `[{"op":"remove","path":"/done"}]`.
    public init(parsing text: String) throws(JSONError) {
        try self.init(parsing: [UInt8](text.utf8))
    }

    /// Whether `pointer` names a member of an operation itself, for example `/3/op`, and not one inside its value.
    private static func isOperationMember(_ pointer: String) -> Bool {
        pointer.utf8.count { $0 == UInt8(ascii: "/") } == 2
    }
}

extension JSONError {
    /// RFC 6902 section 4: an operation has exactly one `op` (appendix A.13). "The last value counts" would guess.
    fileprivate static func repeatedMember(_ warning: JSONWarning) -> JSONError {
        var error = JSONError.patch(
            "an operation names each of its members once, and \(warning.pointer) comes twice; leave one",
            at: warning.pointer)
        error.byteOffset = warning.byteOffset
        error.line = warning.line
        error.column = warning.column
        return error
    }
}
