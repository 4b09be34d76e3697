import Tidemark

/// One object of compact JSON on one line, its members in the order in which they are added.
struct JSONLine {
    private var text: [UInt8] = [UInt8(ascii: "{")]

    /// The whole line, without a line end.
    var bytes: [UInt8] { self.text + [UInt8(ascii: "}")] }

    mutating func add(_ name: String, _ value: JSON?) {
        self.add(name, raw: value?.bytes)
    }

    mutating func add(_ name: String, _ value: String?) {
        self.add(name, value.map { JSON.string(JSONString($0)) })
    }

    mutating func add(_ name: String, _ value: Int) {
        self.add(name, raw: Array(String(value).utf8))
    }

    mutating func add(_ name: String, _ values: [String]) {
        self.add(name, JSON.array(values.map { .string(JSONString($0)) }))
    }

    mutating func add(_ name: String, _ line: JSONLine) {
        self.add(name, raw: line.bytes)
    }

    /// Adds JSON text as it is; nil is null.
    mutating func add(_ name: String, raw: [UInt8]?) {
        if self.text.count > 1 { self.text.append(UInt8(ascii: ",")) }
        self.text += JSON.string(JSONString(name)).bytes
        self.text.append(UInt8(ascii: ":"))
        self.text += raw ?? Array("null".utf8)
    }
}
