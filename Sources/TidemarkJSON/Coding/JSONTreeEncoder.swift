/// Encodes into a tree; the containers of one value share its node.
struct JSONTreeEncoder: Encoder {
    let node: EncodingNode
    let place: CodingPlace
    var codingPath: [any CodingKey] { self.place.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Encodes a whole value; refuses one that encodes nothing.
    static func whole<Value: Encodable>(_ value: Value, at place: CodingPlace) throws -> JSON {
        guard let json = try self.encoded(value, at: place) else {
            throw place.invalid(value, "\(Value.self) encoded nothing")
        }
        return json
    }

    /// Encodes a value inside another one. One that encodes nothing is an empty object, as in the standard encoders.
    static func json<Value: Encodable>(of value: Value, at place: CodingPlace) throws -> JSON {
        try self.encoded(value, at: place) ?? [:]
    }

    private static func encoded<Value: Encodable>(_ value: Value, at place: CodingPlace) throws -> JSON? {
        if let json = try self.leaf(value, place) ?? self.foundationLeaf(value, at: place) {
            return json
        }
        let node = EncodingNode()
        try value.encode(to: JSONTreeEncoder(node: node, place: place))
        guard let json = node.json else { return nil }
        return (value as? any Unordered)?.ordered(json) ?? json
    }

    /// Returns a value that is JSON without containers, or nil.
    private static func leaf(_ value: any Encodable, _ place: CodingPlace) throws -> JSON? {
        switch value {
        case let value as String: .string(JSONString(value))
        case let value as Bool: .bool(value)
        case let value as any FixedWidthInteger: .number(JSONNumber(checkedText: String(value)))
        case let value as Double: .number(try self.number(value, place))
        case let value as Float: .number(try self.number(value, place))
        case let value as JSON: value
        case let value as JSONNumber: .number(value)
        case let value as JSONString: .string(value)
        case let value as JSONObject: .object(value)
        default: nil
        }
    }

    private static func number(
        _ value: some BinaryFloatingPoint & CustomStringConvertible, _ place: CodingPlace
    ) throws -> JSONNumber {
        guard value.isFinite else { throw place.invalid(value, "JSON has no number \(value)") }
        return JSONNumber(checkedText: ECMAScriptNumber.text(of: value))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        self.node.becomeObject()
        return KeyedEncodingContainer(KeyedEncoding<Key>(node: self.node, place: self.place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        self.node.becomeArray()
        return UnkeyedEncoding(node: self.node, place: self.place)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleEncoding(node: self.node, place: self.place)
    }
}
