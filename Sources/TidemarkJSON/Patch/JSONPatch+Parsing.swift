extension JSONPatch {
    /// Reads a patch from its JSON text (RFC 6902 §3).
    ///
    /// - Throws: `JSONError` if the text is not JSON, or not a patch: then with the code `.patch` and the pointer of
    ///   the error inside the patch.
    public init(parsing bytes: [UInt8], limits: JSON.Limits = .default) throws(JSONError) {
        // Around a member of an operation, `/3/op`, two brackets are open; the contents of its value are deeper.
        let (json, warnings) = try JSON.parse(
            bytes[...], limits: limits, repeatedKeys: RepeatedKeys(limit: 1, depth: 2))
        if let warning = warnings.first, let pointer = warning.pointer {
            throw .repeatedMember(warning, at: pointer)
        }
        try self.init(json: json)
    }

    /// Reads a patch from a string, such as `[{"op":"remove","path":"/done"}]`.
    public init(parsing text: String) throws(JSONError) {
        try self.init(parsing: [UInt8](text.utf8))
    }
}

extension JSONError {
    /// RFC 6902 §4: an operation has exactly one `op` (appendix A.13). To let the last value count would be a guess.
    fileprivate static func repeatedMember(_ warning: JSON.Warning, at pointer: String) -> JSONError {
        var error = JSONError.patch(
            "an operation names each of its members once, and \(pointer) occurs twice; remove one", at: pointer)
        error.byteOffset = warning.byteOffset
        error.line = warning.line
        error.column = warning.column
        return error
    }
}
