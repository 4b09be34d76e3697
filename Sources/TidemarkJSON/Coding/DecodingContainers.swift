// Each container has one generic `decode`: it also serves the requirements for `Bool`, `String` and the numbers. Only for
// those of 128 bits the protocols have a separate implementation, which refuses them.

/// The members of an object.
struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let object: JSONObject
    let place: CodingPlace

    var codingPath: [any CodingKey] { self.place.path }

    var allKeys: [Key] {
        self.object.keys.compactMap(Key.init(stringValue:))
    }

    func contains(_ key: Key) -> Bool {
        self.object[key.stringValue] != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        try self.decoder(key).value.isNull
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try self.decoder(key).decode(type)
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try self.decoder(key).decode(type)
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try self.decoder(key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try self.decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try self.decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        try self.decoder(AnyCodingKey(stringValue: "super"))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try self.decoder(key)
    }

    private func decoder(_ key: any CodingKey) throws -> JSONTreeDecoder {
        guard let value = self.object[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key,
                .init(codingPath: self.codingPath, debugDescription: "the object has no member “\(key.stringValue)”"))
        }
        return JSONTreeDecoder(value: value, place: self.place.below(key))
    }
}

/// The elements of an array.
struct UnkeyedDecoding: UnkeyedDecodingContainer {
    let elements: [JSON]
    let place: CodingPlace
    var currentIndex = 0

    var codingPath: [any CodingKey] { self.place.path }

    var count: Int? { self.elements.count }

    var isAtEnd: Bool { self.currentIndex >= self.elements.count }

    mutating func decodeNil() throws -> Bool {
        guard try self.decoder(JSON.self).value.isNull else { return false }
        self.currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try self.decoder(type).decode(type)
        self.currentIndex += 1
        return value
    }

    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        let value = try self.decoder(type).decode(type)
        self.currentIndex += 1
        return value
    }

    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        let value = try self.decoder(type).decode(type)
        self.currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try self.decoder(JSONObject.self).container(keyedBy: type)
        self.currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try self.decoder([JSON].self).unkeyedContainer()
        self.currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try self.decoder(JSON.self)
        self.currentIndex += 1
        return decoder
    }

    private func decoder(_ type: Any.Type) throws -> JSONTreeDecoder {
        let place = self.place.below(AnyCodingKey(intValue: self.currentIndex))
        guard !self.isAtEnd else {
            throw DecodingError.valueNotFound(
                type,
                .init(codingPath: place.path, debugDescription: "the array has only \(self.elements.count) elements"))
        }
        return JSONTreeDecoder(value: self.elements[self.currentIndex], place: place)
    }
}

/// A value that is decoded as another one.
struct SingleDecoding: SingleValueDecodingContainer {
    let decoder: JSONTreeDecoder

    var codingPath: [any CodingKey] { self.decoder.codingPath }

    func decodeNil() -> Bool {
        self.decoder.value.isNull
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try self.decoder.decode(type)
    }

    func decode(_ type: Int128.Type) throws -> Int128 {
        try self.decoder.decode(type)
    }

    func decode(_ type: UInt128.Type) throws -> UInt128 {
        try self.decoder.decode(type)
    }
}
