/// Decodes from a tree.
struct JSONTreeDecoder: Decoder {
    let value: JSON
    let place: CodingPlace
    var codingPath: [any CodingKey] { self.place.path }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Decodes a whole value.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        switch type {
        case is JSON.Type: try self.cast(self.value)
        case is String.Type: try self.cast(self.value.string)
        case is Bool.Type: try self.cast(self.value.bool)
        case let integer as any FixedWidthInteger.Type: try self.cast(try self.integer(integer))
        case is Double.Type: try self.cast(self.value.double)
        case is Float.Type: try self.cast(self.float())
        case is JSONNumber.Type: try self.cast(self.value.number)
        case is JSONString.Type: try self.cast(self.jsonString)
        case is JSONObject.Type: try self.cast(self.value.object)
        default: try self.foundationLeaf(type).map(self.cast) ?? Value(from: self)
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let object = self.value.object else { throw self.mismatch(JSONObject.self) }
        return KeyedDecodingContainer(KeyedDecoding<Key>(object: object, place: self.place))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = self.value.array else { throw self.mismatch([JSON].self) }
        return UnkeyedDecoding(elements: elements, place: self.place)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        SingleDecoding(decoder: self)
    }

    /// The error if the value has another type than the requested one.
    func mismatch(_ type: Any.Type) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: self.codingPath, debugDescription: "expected \(type), found \(self.value.kind)")
        return self.value.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    private var jsonString: JSONString? {
        if case .string(let string) = self.value.byType { string } else { nil }
    }

    private func cast<Value>(_ found: Any?) throws -> Value {
        guard let value = found as? Value else { throw self.mismatch(Value.self) }
        return value
    }

    private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Any? {
        guard let number = self.value.number else { return nil }
        guard let integer = number.integer(type) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: self.codingPath,
                    debugDescription:
                        "the number \(number.text) is not a valid \(type); it has a fraction or does not fit"))
        }
        return integer
    }

    private func float() -> Float? {
        guard let number = self.value.number, let float = Float(number.text), float.isFinite else { return nil }
        return float
    }
}
