import TidemarkJSON

/// The objects of an array, by key.
struct KeyedElements {
    /// The keys, in the array's order: strings and numbers.
    let keys: [JSON]

    private let elements: [JSON]

    /// Takes an array apart; nil when it is no array of objects that each have a key of their own.
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

    /// The key of an object; nil when it has none that is a string or a number.
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

/// What keys are called in a path.
struct KeyedNames {
    private var names: [JSON: String] = [:]

    /// Names keys: a number by its text as it was first written, a string by itself, in quotes where a number has its
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

    /// The name of one of the keys.
    func name(of key: JSON) -> String { self.names[key] ?? key.text }
}
