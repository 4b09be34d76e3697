// Each container has one generic `encode`: it also serves the requirements for `Bool`, `String` and the numbers.

/// The members of an object.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodingNode
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) {
        self.node.member(key.stringValue).set(.null)
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        let json = try JSONTreeEncoder.json(of: value, codingPath: self.codingPath + [key])
        self.node.member(key.stringValue).set(json)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        self.encoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        self.encoder(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        self.encoder(AnyCodingKey(stringValue: "super"))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        self.encoder(key)
    }

    private func encoder(_ key: any CodingKey) -> JSONTreeEncoder {
        JSONTreeEncoder(node: self.node.member(key.stringValue), codingPath: self.codingPath + [key])
    }
}

/// The elements of an array.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let node: EncodingNode
    let codingPath: [any CodingKey]

    var count: Int { self.node.count }

    func encodeNil() {
        self.node.append().set(.null)
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        let json = try JSONTreeEncoder.json(
            of: value, codingPath: self.codingPath + [AnyCodingKey(intValue: self.count)])
        self.node.append().set(json)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        self.encoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        self.encoder().unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        self.encoder()
    }

    private func encoder() -> JSONTreeEncoder {
        let path = self.codingPath + [AnyCodingKey(intValue: self.count)]
        return JSONTreeEncoder(node: self.node.append(), codingPath: path)
    }
}

/// A value that is encoded as another one.
struct SingleEncoding: SingleValueEncodingContainer {
    let node: EncodingNode
    let codingPath: [any CodingKey]

    func encodeNil() {
        self.node.set(.null)
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        self.node.set(try JSONTreeEncoder.json(of: value, codingPath: self.codingPath))
    }
}
