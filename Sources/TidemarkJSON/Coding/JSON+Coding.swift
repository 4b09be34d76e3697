extension JSON {
    /// Encodes an `Encodable` value.
    ///
    /// As with Foundation's encoder, some types get the form that other programs expect
    /// (Contract §4): `Decimal` and all integers are exact numbers, `Data` is base64, `URL` and `UUID` are strings, and a
    /// `Date` has the format of `dates`. `JSON`, `JSONNumber`, `JSONString` and `JSONObject` keep their text. The keys of a
    /// dictionary and the elements of a set are sorted by code point, so that equal values give equal
    /// bytes. A dictionary whose keys are neither `String` nor `Int` is an array, each key before its value. Any
    /// other type encodes itself.
    ///
    /// - Throws: The error of the value's `encode(to:)`; `EncodingError.invalidValue` for infinity and NaN, for a
    ///   date that the format can't express, and for a value that encodes nothing. A member that encodes nothing is an empty
    ///   object.
    public init(encoding value: some Encodable, dates: JSONDates = .rfc3339) throws {
        self = try JSONTreeEncoder.whole(value, at: CodingPlace(dates: dates))
    }

    /// Decodes a `Decodable` value, from the form that ``init(encoding:dates:)`` writes.
    ///
    /// A newer version of a type must still read the records of an older one, and synthesized code treats a missing member as
    /// an error. Make a new member optional, or set its default in `init(from:)`; in an extension the memberwise initializer is
    /// kept. A member with a new name in Swift keeps its old one in JSON.
    ///
    /// ```swift
    /// nonisolated struct Reminder: Codable {
    ///     var headline: String                 // was `title`, and still is in JSON
    ///     var isPinned = false                 // new
    ///
    ///     enum CodingKeys: String, CodingKey {
    ///         case headline = "title"
    ///         case isPinned
    ///     }
    /// }
    ///
    /// nonisolated extension Reminder {
    ///     init(from decoder: any Decoder) throws {
    ///         let members = try decoder.container(keyedBy: CodingKeys.self)
    ///         self.headline = try members.decode(String.self, forKey: .headline)
    ///         self.isPinned = try members.decodeIfPresent(Bool.self, forKey: .isPinned) ?? false
    ///     }
    /// }
    /// ```
    ///
    /// - Throws: The error of the type's `init(from:)`; a `DecodingError` names the path and the value there, also for
    ///   a number that the type can't hold exactly.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self, dates: JSONDates = .rfc3339) throws -> Value {
        try JSONTreeDecoder(value: self, place: CodingPlace(dates: dates)).decode(type)
    }
}

/// A key made from any string or index.
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
