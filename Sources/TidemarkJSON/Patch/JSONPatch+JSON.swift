extension JSONPatch {
    /// Reads a patch from a JSON array of operations (RFC 6902 §3); unknown members are ignored.
    ///
    /// - Throws: `JSONError` with the code `.patch` and the pointer of the error inside the patch.
    public init(json: JSON) throws(JSONError) {
        guard let elements = json.array else {
            throw .patch("a JSON Patch is an array of operations, this is \(json.kind)", at: "")
        }
        var operations: [Operation] = []
        operations.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            operations.append(try Operation(json: element, index: index))
        }
        self.init(operations)
    }

    /// The patch as a JSON array, each operation with the members `op`, `from`, `path`, `value` in this order.
    public var json: JSON { .array(self.operations.map(\.json)) }

    /// The patch's compact JSON text in UTF-8, as it is stored and sent.
    public var bytes: [UInt8] {
        // As `json.bytes`, but without an object for each operation.
        switch self.storage {
        case .changes(let changes): return changes.bytes
        case .operations(let operations): return Operation.bytes(of: operations)
        }
    }

    /// The patch's compact JSON text.
    public var text: String { String(decoding: self.bytes, as: UTF8.self) }
}

extension JSONPatch.Operation {
    /// The operation as a JSON object.
    public var json: JSON {
        var object: JSONObject = ["op": .string(JSONString(self.name))]
        if let from = self.from { object["from"] = .string(JSONString(from.text)) }
        object["path"] = .string(JSONString(self.path.text))
        if let value = self.value { object["value"] = value }
        return .object(object)
    }

    /// The text of several operations as an array.
    fileprivate static func bytes(of operations: [JSONPatch.Operation]) -> [UInt8] {
        var bytes = [UInt8(ascii: "[")]
        for (index, operation) in operations.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            operation.write(to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
        return bytes
    }

    /// Appends the text of the operation.
    private func write(to bytes: inout [UInt8]) {
        bytes.append(#"{"op":""#)
        bytes += self.name.utf8
        if let from = self.from {
            bytes.append(#"","from":""#)
            JSONString.writeEscaped(from.text, to: &bytes)
        }
        bytes.append(#"","path":""#)
        JSONString.writeEscaped(self.path.text, to: &bytes)
        if let value = self.value {
            bytes.append(Self.valueStart)
            value.write(to: &bytes)
            bytes.append(UInt8(ascii: "}"))
        } else {
            bytes.append(#""}"#)
        }
    }

    /// The text between the path of an operation and its value.
    static let valueStart: StaticString = #"","value":"#

    /// Reads the operation with this number in its patch, counted from 0.
    init(json: JSON, index: Int) throws(JSONError) {
        let reader = OperationReader(json: json, index: index)
        switch try reader.string("op") {
        case "add": self = .add(try reader.pointer("path"), try reader.value())
        case "remove": self = .remove(try reader.pointer("path"))
        case "replace": self = .replace(try reader.pointer("path"), try reader.value())
        case "move": self = .move(from: try reader.pointer("from"), to: try reader.pointer("path"))
        case "copy": self = .copy(from: try reader.pointer("from"), to: try reader.pointer("path"))
        case "test": self = .test(try reader.pointer("path"), try reader.value())
        case let name: throw reader.unknown(name)
        }
    }
}
