extension JSON {
    /// Parses a whole text, strictly by RFC 8259.
    ///
    /// It refuses any text outside the grammar, text that is not UTF-8 or starts with a byte order mark, an unpaired surrogate
    /// escape, and text over the limits. Of a repeated key the last value wins.
    public init(parsing bytes: [UInt8], limits: JSON.Limits = .default) throws(JSONError) {
        self = try JSON.parse(bytes[...], limits: limits, repeatedKeys: nil).value
    }

    /// Parses a slice as if it were a whole text; positions in errors count from the start of the slice.
    public init(parsing bytes: ArraySlice<UInt8>, limits: JSON.Limits = .default) throws(JSONError) {
        self = try JSON.parse(bytes, limits: limits, repeatedKeys: nil).value
    }

    /// Parses a whole text.
    public init(parsing text: String, limits: JSON.Limits = .default) throws(JSONError) {
        self = try JSON.parse(Array(text.utf8)[...], limits: limits, repeatedKeys: nil).value
    }

    /// Parses a whole text and also reports repeated keys: the first ``JSON/Warning/described``, in the order of the text, and
    /// the number of the others.
    public static func parse(
        _ bytes: [UInt8], limits: JSON.Limits = .default
    ) throws(JSONError) -> (value: JSON, warnings: [JSON.Warning]) {
        try JSON.parse(bytes[...], limits: limits)
    }

    /// Parses a slice as if it were a whole text and also reports repeated keys.
    public static func parse(
        _ bytes: ArraySlice<UInt8>, limits: JSON.Limits = .default
    ) throws(JSONError) -> (value: JSON, warnings: [JSON.Warning]) {
        try JSON.parse(bytes, limits: limits, repeatedKeys: RepeatedKeys(limit: JSON.Warning.described))
    }

    /// Parses a slice, and describes repeated keys as far as `repeatedKeys` asks for them.
    static func parse(
        _ bytes: ArraySlice<UInt8>, limits: JSON.Limits, repeatedKeys: RepeatedKeys?
    ) throws(JSONError) -> (value: JSON, warnings: [JSON.Warning]) {
        // The closure returns its error as a value, since the signature in the standard library would lose its type.
        let result = unsafe bytes.withUnsafeBufferPointer { input -> Result<(JSON, [JSON.Warning]), JSONError> in
            do throws(JSONError) {
                return .success(try unsafe JSON.read(input, limits: limits, repeatedKeys: repeatedKeys))
            } catch {
                return .failure(error)
            }
        }
        let (value, warnings) = try result.get()
        return (value, warnings)
    }
}
