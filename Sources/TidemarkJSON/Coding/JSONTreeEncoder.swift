/// Encodes into a tree; the containers of one value share its node.
struct JSONTreeEncoder: Encoder {
    let node: EncodingNode
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Encodes a whole value.
    static func json<Value: Encodable>(of value: Value, codingPath: [any CodingKey]) throws -> JSON {
        if let json = try self.leaf(value, codingPath) {
            return json
        }
        let node = EncodingNode()
        try value.encode(to: JSONTreeEncoder(node: node, codingPath: codingPath))
        if value is any StringKeyed {
            node.sortKeys()
        }
        guard let json = node.json else {
            throw EncodingError.invalidValue(
                value,
                .init(codingPath: codingPath, debugDescription: "\(Value.self) encoded nothing; encode a value or nil"))
        }
        return json
    }

    /// A value that is JSON without containers of its own, or nil.
    private static func leaf(_ value: any Encodable, _ codingPath: [any CodingKey]) throws -> JSON? {
        switch value {
        case let value as String: .string(JSONString(value))
        case let value as Bool: .bool(value)
        case let value as any FixedWidthInteger: .number(JSONNumber(checkedText: String(value)))
        case let value as Double: .number(try self.number(value, codingPath))
        case let value as Float: .number(try self.number(value, codingPath))
        case let value as JSON: value
        case let value as JSONNumber: .number(value)
        case let value as JSONString: .string(value)
        case let value as JSONObject: .object(value)
        default: nil
        }
    }

    private static func number(
        _ value: some BinaryFloatingPoint & CustomStringConvertible, _ codingPath: [any CodingKey]
    ) throws -> JSONNumber {
        guard value.isFinite else {
            throw EncodingError.invalidValue(
                value,
                .init(codingPath: codingPath, debugDescription: "JSON has no number \(value); encode nil or a string"))
        }
        return JSONNumber(checkedText: ECMAScriptNumber.text(of: value))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        self.node.becomeObject()
        return KeyedEncodingContainer(KeyedEncoding<Key>(node: self.node, codingPath: self.codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        self.node.becomeArray()
        return UnkeyedEncoding(node: self.node, codingPath: self.codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleEncoding(node: self.node, codingPath: self.codingPath)
    }
}

/// A dictionary whose keys are the keys of an object.
private protocol StringKeyed {}

extension Dictionary: StringKeyed where Key == String, Value: Encodable {}
