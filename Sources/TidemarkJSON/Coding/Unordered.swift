/// A collection without a defined order, whose order differs in each process.
protocol Unordered {
    /// Returns `json`, the encoded collection, with its elements sorted by code point.
    func ordered(_ json: JSON) -> JSON
}

extension Dictionary: Unordered where Key: Encodable, Value: Encodable {
    /// An object; or an array of keys and values in turn, if the keys are not names.
    func ordered(_ json: JSON) -> JSON {
        switch json.byType {
        case .object(let object):
            return .object(JSONObject(object.sorted { CodePointString($0.key) < CodePointString($1.key) }))
        case .array(let elements):
            let pairs = stride(from: 0, to: elements.count - 1, by: 2).map { elements[$0...$0 + 1] }
            return .array(Array(pairs.sorted(by: \.first).joined()))
        case .null, .bool, .number, .string: return json
        }
    }
}

extension Set: Unordered where Element: Encodable {
    func ordered(_ json: JSON) -> JSON {
        guard let elements = json.array else { return json }
        return .array(elements.map { [$0][...] }.sorted(by: \.first).flatMap { $0 })
    }
}

extension [ArraySlice<JSON>] {
    fileprivate func sorted(by part: KeyPath<ArraySlice<JSON>, JSON?>) -> [ArraySlice<JSON>] {
        self.map { (CodePointString($0[keyPath: part]?.text ?? ""), $0) }.sorted { $0.0 < $1.0 }.map { $0.1 }
    }
}
