import CYajl
package import TidemarkJSON

/// Finds the rows of a page as `JSONRowScanner` does, with an independent parser: both must find the same. It is slower by
/// half, so only tests and the fuzzer use it.
///
/// Only four depths matter: 1 is inside the page, 2 inside an array, 3 inside a row, and deeper levels are only counted.
@safe package struct YajlRows {
    /// The key of a requested array or field.
    private struct Name {
        let bytes: [UInt8]

        init(_ name: String) {
            self.bytes = Array(name.utf8)
        }

        @inline(__always)
        func isSpelled(_ pointer: UnsafePointer<UInt8>?, _ length: Int) -> Bool {
            guard self.bytes.count == length, let pointer = unsafe pointer else { return false }
            for place in 0..<length where unsafe self.bytes[place] != pointer[place] {
                return false
            }
            return true
        }
    }

    /// A requested array: its rows so far, nil if the page has no such array.
    private struct Wanted {
        let name: Name
        var ranges: ContiguousArray<Int32>?
    }

    private static let pageDepth = 1
    private static let arrayDepth = 2
    private static let rowDepth = 3

    private let depthLimit: Int
    private let fields: [Name]
    private var tokens: YajlTokens?
    private var depth = 0

    private var members: [CodePointString: Range<Int>] = [:]
    private var member = CodePointString("")
    private var memberStart = 0

    private var arrays: [Wanted]
    /// The index in `arrays` of the current member, or nil.
    private var array: Int?
    /// Whether the current array is a requested one.
    private var isInArray = false

    /// The ranges of the rows of the current array.
    private var ranges: ContiguousArray<Int32> = []
    private var isInRow = false
    /// The index in `ranges` of the current field, or nil.
    private var field: Int?
    private var fieldStart: Int32 = 0

    /// The offset after the whole page.
    private var rootEnd = 0

    private init(arrays: [String], fields: [String], depthLimit: Int) {
        self.arrays = arrays.map { Wanted(name: Name($0)) }
        self.fields = fields.map(Name.init)
        self.depthLimit = depthLimit
    }

    /// Scans a whole text; nil if yajl or a separate check refuses it.
    package static func scan(
        _ bytes: [UInt8], arrays: [String], fields: [String], limits: JSON.Limits = .default
    ) -> JSONRowScan? {
        unsafe bytes.withUnsafeBufferPointer { input in
            guard unsafe (try? TextCheck.check(input, limits: limits)) != nil else { return nil }
            var scan = YajlRows(arrays: arrays, fields: fields, depthLimit: limits.nestingDepth)
            let isWhole = unsafe withUnsafeMutablePointer(to: &scan) { scan in
                guard let parser = unsafe YajlParser(input, callbacks: YajlRows.callbacks, context: scan) else {
                    return false
                }
                unsafe scan.pointee.tokens = parser.tokens
                return unsafe parser.run()
            }
            guard isWhole, unsafe YajlParser.isSpace(input, from: scan.rootEnd) else { return nil }
            return scan.result(arrays)
        }
    }

    private func result(_ names: [String]) -> JSONRowScan {
        var found: [CodePointString: JSONRowScan.Rows] = [:]
        for (name, wanted) in zip(names, self.arrays) {
            found[CodePointString(name)] = wanted.ranges.map {
                JSONRowScan.Rows(fieldCount: self.fields.count, ranges: $0)
            }
        }
        return JSONRowScan(members: self.members, arrays: found)
    }

    // MARK: Events of yajl

    /// A number, `true`, `false` or `null` of this many bytes.
    @inline(__always)
    mutating func scalar(length: Int) -> Int32 {
        guard self.depth <= YajlRows.rowDepth else { return 1 }
        guard let tokens = unsafe self.tokens else { return 0 }
        let end = unsafe tokens.end
        return self.shallowScalar(end - length..<end)
    }

    @inline(__always)
    mutating func string(_ pointer: UnsafePointer<UInt8>?, _ length: Int) -> Int32 {
        guard let tokens = unsafe self.tokens, let source = unsafe tokens.source(ofString: pointer, length: length)
        else {
            return 0
        }
        guard self.depth <= YajlRows.rowDepth else { return 1 }
        return self.shallowScalar(source.lowerBound - 1..<source.upperBound + 1)
    }

    @inline(__always)
    mutating func key(_ pointer: UnsafePointer<UInt8>?, _ length: Int) -> Int32 {
        guard let tokens = unsafe self.tokens, unsafe tokens.source(ofString: pointer, length: length) != nil else {
            return 0
        }
        if self.depth == YajlRows.rowDepth && self.isInRow {
            // The row was laid out when it was opened: its own range, then one for each field.
            let firstField = self.ranges.count - 2 * self.fields.count
            let place = self.fields.firstIndex { unsafe $0.isSpelled(pointer, length) }
            self.field = place.map { firstField + 2 * $0 }
        } else if self.depth == YajlRows.pageDepth {
            unsafe self.startMember(UnsafeBufferPointer(start: pointer, count: length))
        }
        return 1
    }

    @inline(__always)
    mutating func open(isObject: Bool) -> Int32 {
        guard let tokens = unsafe self.tokens, self.depth < self.depthLimit else { return 0 }
        if self.depth <= YajlRows.rowDepth {
            guard unsafe self.openShallow(at: tokens.end - 1, isObject: isObject) else { return 0 }
        }
        self.depth += 1
        return 1
    }

    @inline(__always)
    mutating func close() -> Int32 {
        self.depth -= 1
        if self.depth <= YajlRows.rowDepth {
            guard let tokens = unsafe self.tokens else { return 0 }
            unsafe self.closeShallow(at: tokens.end)
        }
        return 1
    }

    // MARK: Their meaning

    private mutating func shallowScalar(_ range: Range<Int>) -> Int32 {
        switch self.depth {
        case YajlRows.rowDepth:
            if self.isInRow, let field = self.field {
                self.ranges[field] = Int32(range.lowerBound)
                self.ranges[field + 1] = Int32(range.upperBound)
            }
        case YajlRows.arrayDepth:
            if self.isInArray {
                self.appendRow(start: ~Int32(range.lowerBound))
                self.endRow(Int32(range.upperBound))
            }
        case YajlRows.pageDepth:
            self.members[self.member] = range
        default:
            return 0
        }
        return 1
    }

    private mutating func startMember(_ key: UnsafeBufferPointer<UInt8>) {
        self.member = unsafe CodePointString(String(decoding: key, as: UTF8.self))
        self.array = self.arrays.firstIndex { unsafe $0.name.isSpelled(key.baseAddress, key.count) }
        if let array = self.array {
            // The last value of a repeated key counts, even if it is not an array.
            self.arrays[array].ranges = nil
        }
    }

    private mutating func openShallow(at offset: Int, isObject: Bool) -> Bool {
        switch self.depth {
        case YajlRows.rowDepth:
            self.fieldStart = Int32(offset)
        case YajlRows.arrayDepth:
            if self.isInArray {
                self.isInRow = isObject
                self.field = nil
                self.appendRow(start: isObject ? Int32(offset) : ~Int32(offset))
            }
        case YajlRows.pageDepth:
            self.memberStart = offset
            self.isInArray = self.array != nil && !isObject
            self.ranges = []
        default:
            return isObject
        }
        return true
    }

    private mutating func closeShallow(at offset: Int) {
        switch self.depth {
        case YajlRows.rowDepth:
            if self.isInRow, let field = self.field {
                self.ranges[field] = self.fieldStart
                self.ranges[field + 1] = Int32(offset)
            }
        case YajlRows.arrayDepth:
            if self.isInArray {
                self.isInRow = false
                self.endRow(Int32(offset))
            }
        case YajlRows.pageDepth:
            self.members[self.member] = self.memberStart..<offset
            if self.isInArray, let array = self.array {
                self.isInArray = false
                self.arrays[array].ranges = self.ranges
                self.ranges = []
            }
        default:
            self.rootEnd = offset
        }
    }

    private mutating func appendRow(start: Int32) {
        self.ranges.append(start)
        for _ in 0...2 * self.fields.count {
            self.ranges.append(0)
        }
    }

    private mutating func endRow(_ end: Int32) {
        self.ranges[self.ranges.count - 2 * self.fields.count - 1] = end
    }
}
