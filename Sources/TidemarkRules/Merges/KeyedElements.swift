import TidemarkJSON

/// The objects of an array, by key.
struct KeyedElements {
    /// The keys, in the array's order: strings and numbers.
    let keys: [JSON]

    private let elements: [JSON]

    /// Reads an array; nil unless it is an array of objects with distinct keys.
    init?(_ value: JSON?, by key: String) {
        guard let elements = value?.array else { return nil }
        var keys: [JSON] = []
        var seen: Set<JSON> = []
        for element in elements {
            guard let key = Self.key(of: element, by: key), seen.insert(key).inserted else { return nil }
            keys.append(key)
        }
        self.keys = keys
        self.elements = elements
    }

    /// Returns the key of an object; nil unless it is a string or a number.
    static func key(of element: JSON, by key: String) -> JSON? {
        switch element.object?[key]?.byType {
        case .string(let string): .string(string)
        case .number(let number): .number(number)
        case .null, .bool, .array, .object, nil: nil
        }
    }

    /// The array as an object.
    func object(_ names: KeyedNames) -> JSON {
        .object(JSONObject(zip(self.keys.map(names.name), self.elements)))
    }
}

/// The names of keys in a path.
struct KeyedNames {
    private var names: [JSON: String] = [:]

    /// Names keys: a number by its text as it was first written, a string by itself, in quotes if a number has the same
    /// name.
    init(_ keys: [JSON]) {
        var taken: Set<CodePointString> = []
        for key in keys where key.number != nil && self.names[key] == nil {
            self.names[key] = key.text
            taken.insert(CodePointString(key.text))
        }
        for key in keys where self.names[key] == nil {
            var name = key.string ?? key.text
            while !taken.insert(CodePointString(name)).inserted { name = JSON.string(JSONString(name)).text }
            self.names[key] = name
        }
    }

    /// Returns the name of one of the keys.
    func name(of key: JSON) -> String { self.names[key] ?? key.text }
}
