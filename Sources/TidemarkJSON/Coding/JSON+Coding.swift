extension JSON {
    /// Encodes a value of one's own.
    ///
    /// `JSON`, `JSONNumber`, `JSONString` and `JSONObject` inside it keep their text. The keys of a dictionary, which has
    /// no order, come sorted by code point, so that equal values give equal bytes. Every other type is asked how it encodes
    /// itself: Foundation's `Date` does so as seconds since 2001, its `URL` as an object.
    ///
    /// - Throws: What the value's `encode(to:)` throws; `EncodingError.invalidValue` for infinity and NaN.
    public init(encoding value: some Encodable) throws {
        self = try JSONTreeEncoder.json(of: value, codingPath: [])
    }

    /// Decodes a value of one's own.
    ///
    /// - Throws: What the type's `init(from:)` throws; a `DecodingError` names the path and what was found there.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONTreeDecoder(value: self, codingPath: []).decode(type)
    }
}

/// A key made from any string or place.
struct AnyCodingKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        self.intValue = nil
    }

    init(intValue: Int) {
        self.stringValue = String(intValue)
        self.intValue = intValue
    }
}
