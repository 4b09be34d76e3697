// Each container has one generic `encode`: it also serves the requirements for `Bool`, `String` and the numbers. Only for
// those of 128 bits the protocols have a separate implementation, which refuses them.

/// The members of an object.
struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodingNode
    let place: CodingPlace

    var codingPath: [any CodingKey] { self.place.path }

    func encodeNil(forKey key: Key) {
        self.node.member(key.stringValue).set(.null)
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        let json = try JSONTreeEncoder.json(of: value, at: self.place.below(key))
        self.node.member(key.stringValue).set(json)
    }

    func encode(_ value: Int128, forKey key: Key) {
        self.node.member(key.stringValue).set(JSON(value))
    }

    func encode(_ value: UInt128, forKey key: Key) {
        self.node.member(key.stringValue).set(JSON(value))
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
        JSONTreeEncoder(node: self.node.member(key.stringValue), place: self.place.below(key))
    }
}

/// The elements of an array.
struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let node: EncodingNode
    let place: CodingPlace

    var codingPath: [any CodingKey] { self.place.path }

    var count: Int { self.node.count }

    func encodeNil() {
        self.node.append().set(.null)
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        let json = try JSONTreeEncoder.json(
            of: value, at: self.place.below(AnyCodingKey(intValue: self.count)))
        self.node.append().set(json)
    }

    func encode(_ value: Int128) {
        self.node.append().set(JSON(value))
    }

    func encode(_ value: UInt128) {
        self.node.append().set(JSON(value))
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
        let place = self.place.below(AnyCodingKey(intValue: self.count))
        return JSONTreeEncoder(node: self.node.append(), place: place)
    }
}

/// A value that is encoded as another one.
struct SingleEncoding: SingleValueEncodingContainer {
    let node: EncodingNode
    let place: CodingPlace

    var codingPath: [any CodingKey] { self.place.path }

    func encodeNil() {
        self.node.set(.null)
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        self.node.set(try JSONTreeEncoder.json(of: value, at: self.place))
    }

    func encode(_ value: Int128) {
        self.node.set(JSON(value))
    }

    func encode(_ value: UInt128) {
        self.node.set(JSON(value))
    }
}
