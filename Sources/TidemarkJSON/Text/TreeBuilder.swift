internal import CYajl

/// Builds a tree from yajl's callbacks: two flat stacks, and a frame for each bracket that is open.
@safe struct TreeBuilder {
    /// A key and where it starts.
    private struct Key {
        let string: JSONString
        let offset: Int
    }

    /// An open bracket: where its values and keys start on the stacks.
    private struct Frame {
        let firstValue: Int
        let firstKey: Int
        let isObject: Bool
    }

    /// A key that came twice; its line is found at the end.
    private struct Duplicate {
        let key: String
        let pointer: String
        let offset: Int
    }

    private let depthLimit: Int
    private var tokens: YajlTokens?
    private var values: [JSON] = []
    private var keys: [Key] = []
    private var frames: [Frame] = []
    private var duplicates: [Duplicate] = []

    /// Behind the whole value.
    private var rootEnd = 0

    /// Where the nesting went over the limit.
    private var tooDeepAt: Int?

    private init(depthLimit: Int) {
        self.depthLimit = depthLimit
    }

    /// Parses a whole text.
    static func build(
        _ input: UnsafeBufferPointer<UInt8>, limits: JSONLimits
    ) throws(JSONError) -> (JSON, [JSONWarning]) {
        unsafe try TextCheck.check(input, limits: limits)
        var builder = TreeBuilder(depthLimit: limits.nestingDepth)
        let isWhole = unsafe withUnsafeMutablePointer(to: &builder) { builder in
            guard let parser = unsafe YajlParser(input, callbacks: TreeBuilder.callbacks, context: builder) else {
                return false
            }
            unsafe builder.pointee.tokens = parser.tokens
            return unsafe parser.run()
        }
        guard isWhole, let value = builder.values.first, unsafe YajlParser.isSpace(input, from: builder.rootEnd) else {
            throw unsafe YajlParser.fault(in: input, tooDeepAt: builder.tooDeepAt, limits: limits)
        }
        return unsafe (value, builder.warnings(in: input))
    }

    private func warnings(in input: UnsafeBufferPointer<UInt8>) -> [JSONWarning] {
        self.duplicates.map { duplicate in
            let place = unsafe TextPlace(byteOffset: duplicate.offset, in: input)
            return JSONWarning(
                message: "the key \"\(duplicate.key)\" comes twice in one object; the last value counts",
                pointer: duplicate.pointer, byteOffset: duplicate.offset, line: place.line, column: place.column)
        }
    }

    mutating func add(_ value: JSON) -> Int32 {
        self.values.append(value)
        if self.frames.isEmpty, let tokens = unsafe self.tokens {
            self.rootEnd = unsafe tokens.end
        }
        return 1
    }

    mutating func addNumber(_ pointer: UnsafePointer<CChar>?, _ length: Int) -> Int32 {
        let text = unsafe UnsafeRawBufferPointer(start: pointer, count: length)
        self.values.append(.number(unsafe JSONNumber(checkedText: String(decoding: text, as: UTF8.self))))
        if self.frames.isEmpty, let tokens = unsafe self.tokens {
            self.rootEnd = unsafe tokens.end(ofNumber: text.baseAddress, length: length)
        }
        return 1
    }

    mutating func addString(_ pointer: UnsafePointer<UInt8>?, _ length: Int) -> Int32 {
        guard let tokens = unsafe self.tokens, let range = unsafe tokens.source(ofString: pointer, length: length)
        else {
            return 0
        }
        return unsafe self.add(.string(JSONString(checkedSource: tokens.string(range))))
    }

    mutating func addKey(_ pointer: UnsafePointer<UInt8>?, _ length: Int) -> Int32 {
        guard let tokens = unsafe self.tokens, let range = unsafe tokens.source(ofString: pointer, length: length)
        else {
            return 0
        }
        let string = unsafe JSONString(checkedSource: tokens.string(range))
        self.keys.append(Key(string: string, offset: range.lowerBound - 1))
        return 1
    }

    mutating func open(isObject: Bool) -> Int32 {
        guard self.frames.count < self.depthLimit else {
            self.tooDeepAt = unsafe self.tokens.map { unsafe $0.end - 1 }
            return 0
        }
        self.frames.append(
            Frame(firstValue: self.values.count, firstKey: self.keys.count, isObject: isObject))
        return 1
    }

    mutating func closeArray() -> Int32 {
        guard let frame = self.frames.popLast() else { return 0 }
        let elements = Array(self.values[frame.firstValue...])
        self.values.removeSubrange(frame.firstValue...)
        return self.add(.array(elements))
    }

    mutating func closeObject() -> Int32 {
        guard let frame = self.frames.last else { return 0 }
        var object = JSONObject()
        object.reserveCapacity(self.keys.count - frame.firstKey)
        for (key, value) in zip(self.keys[frame.firstKey...], self.values[frame.firstValue...]) {
            if object.set(JSONObject.Slot(key: key.string, value: value)) {
                self.noteDuplicate(key)
            }
        }
        self.frames.removeLast()
        self.keys.removeSubrange(frame.firstKey...)
        self.values.removeSubrange(frame.firstValue...)
        return self.add(.object(object))
    }

    private mutating func noteDuplicate(_ key: Key) {
        var path: [String] = []
        for (frame, inner) in zip(self.frames, self.frames.dropFirst()) {
            // What the inner frame will become is the next element, or the value of the last key, of the outer one.
            path.append(
                frame.isObject
                    ? self.keys[inner.firstKey - 1].string.value : String(inner.firstValue - frame.firstValue))
        }
        let name = key.string.value
        let pointer = JSONPointer(tokens: path + [name])
        self.duplicates.append(Duplicate(key: name, pointer: pointer.text, offset: key.offset))
    }
}
