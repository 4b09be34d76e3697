extension JSONError {
    /// A text that is no JSON Pointer.
    static func pointer(_ message: String) -> JSONError { JSONError(.pointer, message) }

    /// A value that is no JSON Patch; `pointer` says where inside of it.
    static func patch(_ message: String, at pointer: String) -> JSONError {
        JSONError(.patch, message, pointer: pointer)
    }
}
