import TidemarkJSON
import TidemarkJSONStream
import YajlReader

/// A JSON text. There are five readers of it (the parser, the finder of faults, the scanner of
/// rows, yajl, and the reader of texts in pieces) and they agree.
enum JSONSubject {
    static func examine(_ input: [UInt8]) {
        let fault = FaultFinder.firstFault(in: input)
        do throws(JSONError) {
            let value = try JSON(parsing: input)
            law("what the parser takes, the finder of faults finds no fault with") { fault == nil }
            self.examine(value)
            self.scan(input, as: value)
            law("a text in pieces is taken as a whole one") { self.faultInPieces(of: input) == nil }
        } catch {
            law("a refusal has a reason, as no text here is too large") { error.code != .tooLarge }
            law("a refusal names a place in the text") { (0...input.count).contains(error.byteOffset ?? -1) }
            self.scan(input, as: nil)
            let piecewise = self.faultInPieces(of: input)
            law("a text in pieces is refused as a whole one") { piecewise != nil }
            // A mistake in the encoding is found in a whole text before mistakes of the grammar.
            law("a refusal of a text in pieces has the same place") {
                let (offset, whole) = (piecewise?.byteOffset ?? -1, error.byteOffset ?? -1)
                return offset == whole || error.code == .encoding && (0..<whole).contains(offset)
            }
        }
    }

    private static func faultInPieces(of input: [UInt8]) -> JSONError? {
        let reader = JSONStreamReader(.nothing)
        let size = 1 + input.count % 9
        do throws(JSONError) {
            for start in stride(from: 0, to: input.count, by: size) {
                reader.feed(input[start..<min(input.count, start + size)])
                _ = try reader.next()
            }
            reader.finish()
            _ = try reader.next()
            return nil
        } catch {
            return error
        }
    }

    private static func examine(_ value: JSON) {
        let bytes = value.bytes
        law("a written text reads as the value") { try JSON(parsing: bytes) == value }
        law("a written text is written as it is") { try JSON(parsing: bytes).bytes == bytes }
        law("a pretty text reads as the value") { try JSON(parsing: value.prettyText).bytes == bytes }
        law("equal values have equal hashes") { try JSON(parsing: bytes).hashValue == value.hashValue }
        // RFC 8785 has no form for what is beyond the doubles.
        if let canonical = try? value.canonicalBytes() {
            law("the canonical form of a canonical form is itself") {
                try JSON(parsing: canonical).canonicalBytes() == canonical
            }
        }
    }

    /// - Parameter value: what the parser read; nil where it refused.
    private static func scan(_ input: [UInt8], as value: JSON?) {
        self.check(try? JSONRowScanner.scan(input, arrays: ["items"], fields: ["pk", "data"]), of: input, as: value)
        self.check(YajlRows.scan(input, arrays: ["items"], fields: ["pk", "data"]), of: input, as: value)
    }

    private static func check(_ scan: JSONRowScan?, of input: [UInt8], as value: JSON?) {
        guard let scan else {
            law("what the parser reads as an object, the scanner does") { value?.object == nil }
            return
        }
        law("what the scanner takes, the parser reads as an object") { value?.object != nil }
        for (name, range) in scan.members {
            law("a member lies where the scanner says") {
                try JSON(parsing: input[range]) == value?.object?[name.value]
            }
        }
        law("the scanner sees rows where the parser sees an array") {
            scan.rows(in: "items")?.count == value?["items"]?.array?.count
        }
        for (row, element) in zip(scan.rows(in: "items") ?? .empty, value?["items"]?.array ?? []) {
            law("a row lies where the scanner says") { try JSON(parsing: input[row.whole]) == element }
            guard row.isObject else { continue }
            for (place, name) in ["pk", "data"].enumerated() {
                law("a field lies where the scanner says") {
                    let range = row[place]
                    return try range.isEmpty ? element[name] == nil : JSON(parsing: input[range]) == element[name]
                }
            }
        }
    }
}
