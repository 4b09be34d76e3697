import CYajl

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

    private let depthLimit: Int
    private var tokens: YajlTokens?
    private var values: [JSON] = []
    private var keys: [Key] = []
    private var frames: [Frame] = []

    /// The keys that came twice; nil where nobody asks for them.
    private var repeatedKeys: RepeatedKeys?

    /// Behind the whole value.
    private var rootEnd = 0

    /// Where the nesting went over the limit.
    private var tooDeepAt: Int?

    private init(depthLimit: Int, repeatedKeys: RepeatedKeys?) {
        self.depthLimit = depthLimit
        self.repeatedKeys = repeatedKeys
    }

    /// Parses a whole text, and describes the keys that come twice if `repeatedKeys` says which.
    static func build(
        _ input: UnsafeBufferPointer<UInt8>, limits: JSONLimits, repeatedKeys: RepeatedKeys?
    ) throws(JSONError) -> (JSON, [JSONWarning]) {
        unsafe try TextCheck.check(input, limits: limits)
        var builder = TreeBuilder(depthLimit: limits.nestingDepth, repeatedKeys: repeatedKeys)
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
        return unsafe (value, builder.repeatedKeys?.warnings(in: input) ?? [])
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
        guard let frame = self.frames.last else { return 0 }
        self.noteStep()
        self.frames.removeLast()
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
                self.repeatedKeys?.note(key.string, offset: key.offset, depth: self.frames.count)
            }
        }
        self.noteStep()
        self.frames.removeLast()
        self.keys.removeSubrange(frame.firstKey...)
        self.values.removeSubrange(frame.firstValue...)
        return self.add(.object(object))
    }

    /// Tells the repeated keys by which step the innermost open bracket is reached, before it is closed.
    private mutating func noteStep() {
        let depth = self.frames.count
        guard depth > 1, self.repeatedKeys?.lie(at: depth) == true else { return }
        let (frame, inner) = (self.frames[depth - 2], self.frames[depth - 1])
        // What the inner frame becomes is the next element, or the value of the last key, of the outer one.
        let step =
            frame.isObject
            ? self.keys[inner.firstKey - 1].string : JSONString(String(inner.firstValue - frame.firstValue))
        self.repeatedKeys?.close(at: depth, step: step)
    }
}
