extension JSON {
    /// Encodes a value of one's own.
    ///
    /// As with Foundation's encoder, types that are made of something else get the form that other programs expect
    /// (SPEC §4): `Decimal` and all integers are exact numbers, `Data` is base64, `URL` and `UUID` are strings, and a
    /// `Date` is what `dates` says. `JSON`, `JSONNumber`, `JSONString` and `JSONObject` keep their text. What has no order,
    /// the keys of a dictionary and the elements of a set, comes sorted by code point, so that equal values give equal
    /// bytes. A dictionary whose keys are neither `String` nor `Int` is an array, each key before its value. Every
    /// other type is asked how it encodes itself.
    ///
    /// - Throws: What the value's `encode(to:)` throws; `EncodingError.invalidValue` for infinity and NaN, and for a
    ///   date that the form does not have.
    public init(encoding value: some Encodable, dates: JSONDates = .rfc3339) throws {
        self = try JSONTreeEncoder.json(of: value, at: CodingPlace(dates: dates))
    }

    /// Decodes a value of one's own, from the form that ``init(encoding:dates:)`` writes.
    ///
    /// A type that grows must still read what an older one wrote, and synthesized code takes a member that is missing for
    /// a mistake. Let a new member be optional, or say in `init(from:)` what stands in for it; in an extension the
    /// memberwise initializer stays. A member with a new name in Swift keeps its old one in JSON.
    ///
    /// ```swift
    /// struct Memo: Codable {
    ///     var headline: String                 // was `title`, and still is in JSON
    ///     var isPinned = false                 // new
    ///
    ///     enum CodingKeys: String, CodingKey {
    ///         case headline = "title"
    ///         case isPinned
    ///     }
    /// }
    ///
    /// extension Memo {
    ///     init(from decoder: any Decoder) throws {
    ///         let members = try decoder.container(keyedBy: CodingKeys.self)
    ///         self.headline = try members.decode(String.self, forKey: .headline)
    ///         self.isPinned = try members.decodeIfPresent(Bool.self, forKey: .isPinned) ?? false
    ///     }
    /// }
    /// ```
    ///
    /// - Throws: What the type's `init(from:)` throws; a `DecodingError` names the path and what was found there, also for
    ///   a number that the type can't hold exactly.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self, dates: JSONDates = .rfc3339) throws -> Value {
        try JSONTreeDecoder(value: self, place: CodingPlace(dates: dates)).decode(type)
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
