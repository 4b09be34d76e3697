// This file is for other encoders and decoders; `JSON(encoding:)` and `decode` use these types unchanged.

extension JSON: Encodable {
    /// Encodes with any encoder. An encoder of another library rewrites escapes, may reorder keys, and accepts a number only if
    /// an `Int64`, a `UInt64` or a `Double` holds its exact value.
    public func encode(to encoder: any Encoder) throws {
        switch self.byType {
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            try container.encode(contentsOf: elements)
        case .object(let object):
            var container = encoder.container(keyedBy: AnyCodingKey.self)
            for (key, value) in object {
                try container.encode(value, forKey: AnyCodingKey(stringValue: key))
            }
        case .null, .bool, .number, .string:
            var container = encoder.singleValueContainer()
            try self.encodeLeaf(to: &container)
        }
    }

    private func encodeLeaf(to container: inout any SingleValueEncodingContainer) throws {
        switch self.byType {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .string(let string): try container.encode(string.value)
        case .number(let number):
            if let integer = number.integer(Int64.self) {
                try container.encode(integer)
            } else if let integer = number.integer(UInt64.self) {
                try container.encode(integer)
            } else if let double = number.double, JSONNumber(double) == number {
                try container.encode(double)
            } else {
                throw EncodingError.invalidValue(
                    number,
                    .init(
                        codingPath: container.codingPath,
                        debugDescription: "no Swift number holds \(number.text) exactly; use JSON(encoding:)"))
            }
        case .array, .object: break
        }
    }
}

extension JSON: Decodable {
    /// Decodes with any decoder. A decoder of another library has lost number text and escapes already.
    public init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: AnyCodingKey.self) {
            self = .object(
                JSONObject(try object.allKeys.map { ($0.stringValue, try object.decode(JSON.self, forKey: $0)) }))
        } else if var array = try? decoder.unkeyedContainer() {
            var elements: [JSON] = []
            while !array.isAtEnd {
                elements.append(try array.decode(JSON.self))
            }
            self = .array(elements)
        } else {
            try self.init(leafFrom: decoder.singleValueContainer())
        }
    }

    private init(leafFrom container: any SingleValueDecodingContainer) throws {
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .number(JSONNumber(checkedText: String(value)))
        } else if let value = try? container.decode(UInt64.self) {
            self = .number(JSONNumber(checkedText: String(value)))
        } else if let value = try? container.decode(Double.self), let number = JSONNumber(value) {
            self = .number(number)
        } else {
            self = .string(JSONString(try container.decode(String.self)))
        }
    }
}

extension JSONNumber: Codable {
    /// Encodes with any encoder, as ``JSON`` does.
    public func encode(to encoder: any Encoder) throws {
        try JSON.number(self).encode(to: encoder)
    }

    /// Decodes with any decoder.
    public init(from decoder: any Decoder) throws {
        self = try JSON.required(\.number, from: decoder)
    }
}

extension JSONString: Codable {
    /// Encodes the decoded string with any encoder.
    public func encode(to encoder: any Encoder) throws {
        try self.value.encode(to: encoder)
    }

    /// Decodes with any decoder.
    public init(from decoder: any Decoder) throws {
        self.init(try String(from: decoder))
    }
}

extension JSONObject: Codable {
    /// Encodes with any encoder, as ``JSON`` does.
    public func encode(to encoder: any Encoder) throws {
        try JSON.object(self).encode(to: encoder)
    }

    /// Decodes with any decoder.
    public init(from decoder: any Decoder) throws {
        self = try JSON.required(\.object, from: decoder)
    }
}

extension JSON {
    fileprivate static func required<Value>(_ path: KeyPath<JSON, Value?>, from decoder: any Decoder) throws -> Value {
        let json = try JSON(from: decoder)
        guard let value = json[keyPath: path] else {
            throw DecodingError.typeMismatch(
                Value.self,
                .init(codingPath: decoder.codingPath, debugDescription: "expected \(Value.self), found \(json.kind)"))
        }
        return value
    }
}
