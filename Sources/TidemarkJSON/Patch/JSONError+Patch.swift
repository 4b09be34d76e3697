extension JSONError {
    /// Makes the error for a text that is not a JSON Pointer.
    static func pointer(_ message: String) -> JSONError { JSONError(.pointer, message) }

    /// Makes the error for a value that is not a JSON Patch; `pointer` is the position inside it.
    static func patch(_ message: String, at pointer: String) -> JSONError {
        JSONError(.patch, message, pointer: pointer)
    }
}
