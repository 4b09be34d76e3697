package import TidemarkJSON
package import TidemarkRules
import TidemarkTesting

// The edits and decisions of the users.

extension SimulatedWords {
    package static func json(_ word: Int) -> JSON { .string(JSONString("v\(word)")) }

    /// A word added at the end of an array or a text.
    static func appended(_ word: Int, to value: JSON?) -> JSON {
        if let text = value?.string { return .string(JSONString("\(text) v\(word)")) }
        return .array((value?.array ?? []) + [Self.json(word)])
    }

    /// A word inserted into an array or a text.
    static func inserted(_ word: Int, _ index: Int, into value: JSON?) -> JSON {
        if let text = value?.string {
            var words = Self.words(of: text)
            words.insert("v\(word)", at: index % (words.count + 1))
            return .string(JSONString(words.joined(separator: " ")))
        }
        var elements = value?.array ?? []
        elements.insert(Self.json(word), at: index % (elements.count + 1))
        return .array(elements)
    }

    /// An array without an element, or a text without a word; unchanged if it is empty.
    static func dropped(_ index: Int, from value: JSON?) -> JSON? {
        if let text = value?.string {
            var words = Self.words(of: text)
            if !words.isEmpty { words.remove(at: index % words.count) }
            return .string(JSONString(words.joined(separator: " ")))
        }
        guard var elements = value?.array, !elements.isEmpty else { return value }
        elements.remove(at: index % elements.count)
        return .array(elements)
    }

    /// An array with an element moved to another place.
    static func moved(_ index: Int, to other: Int, in value: JSON?) -> JSON? {
        guard var elements = value?.array, !elements.isEmpty else { return value }
        let element = elements.remove(at: index % elements.count)
        elements.insert(element, at: other % (elements.count + 1))
        return .array(elements)
    }

    /// The content of a field after a new word was written into it, by its kind: a text, an array, an array of objects, or a
    /// number, to which 1 is added.
    static func amended(_ word: Int, _ field: String, of value: JSON?) -> JSON {
        switch field {
        case "/text": value == nil ? Self.json(word) : Self.appended(word, to: value)
        case "/tags", "/list": Self.appended(word, to: value)
        case "/items": Self.put(word, word % 3, into: value)
        case "/n": .number(JSONNumber((value?.int ?? 0) + 1))
        case _: Self.json(word)
        }
    }

    private static func words(of text: String) -> [String] { text.split(separator: " ").map { String($0) } }

    static func put(_ word: Int, _ key: Int, into value: JSON?) -> JSON {
        let element: JSON = ["id": .number(JSONNumber(key)), "is": Self.json(word)]
        var elements = value?.array ?? []
        if let index = elements.firstIndex(where: { $0["id"]?.int == key }) {
            elements[index] = element
        } else {
            elements.append(element)
        }
        return .array(elements)
    }
}

extension SimulationStep.DeviceAct {
    /// The change of an existing record by an act, and the new word; nil if the act is not an edit.
    package var edit: (place: SimulationStep.Place, word: Int?, change: @Sendable (inout JSON) -> Void)? {
        switch self {
        case .type(let place, let field, let word):
            (place, word, { $0[path: field] = SimulatedWords.json(word) })
        case .clear(let place, let field): (place, nil, { $0[path: field] = nil })
        case .append(let place, let field, let word):
            (place, word, { $0[path: field] = SimulatedWords.appended(word, to: $0[path: field]) })
        case .drop(let place, let field, let index):
            (place, nil, { $0[path: field] = SimulatedWords.dropped(index, from: $0[path: field]) })
        case .insert(let place, let field, let index, let word):
            (place, word, { $0[path: field] = SimulatedWords.inserted(word, index, into: $0[path: field]) })
        case .move(let place, let field, let index, let other):
            (place, nil, { $0[path: field] = SimulatedWords.moved(index, to: other, in: $0[path: field]) })
        case .put(let place, let field, let key, let word):
            (place, word, { $0[path: field] = SimulatedWords.put(word, key, into: $0[path: field]) })
        case .amend(let place, let field, let word):
            (
                place, field == "/n" ? nil : word,
                { $0[path: field] = SimulatedWords.amended(word, field, of: $0[path: field]) }
            )
        case .point(let place, let target) where SimulationReferences.mayName(target, in: place):
            (place, nil, { $0[path: SimulationSetting.reference] = .string(JSONString(target.pk)) })
        case .create, .draft, .save, .add, .delete, .point, .transact, .undo, .redo, .release, .resign, .restore,
            .restoreLost, .look, .decide,
            .resolve, .begin, .sync, .persist, .carry, .wake, .renew, .restart, .hand, .fail, .crash, .clock, .account,
            .copy,
            .respell, .run, .stop, .later, .offline, .online, .hear:
            nil
        }
    }
}

extension SimulationStep.Choice {
    /// The verdict of the user about a conflict.
    package func verdict(about conflict: RecordConflict) -> Verdict {
        switch self {
        case .server: .takeServer
        case .client: .takeClient
        case .clashesForServer: .clashes(.server)
        case .clashesForClient: .clashes(.client)
        case .ask: .ask
        case .fields(let sides):
            .fields(
                Dictionary(
                    conflict.asked.enumerated().map { ($1.path, Self.side(of: $0, in: sides)) },
                    uniquingKeysWith: { first, _ in first }))
        case .keepBoth: conflict.server == nil || conflict.client == nil ? .takeClient : .keepBoth(newPK: nil)
        case .merge(let word):
            .merge(
                {
                    var content = conflict.client ?? conflict.server ?? [:]
                    content.title = SimulatedWords.json(word)
                    return content
                }())
        }
    }
}

extension SimulationStep.Choice {
    /// The side of an open clash, by its number.
    static func side(of number: Int, in sides: Int) -> Verdict.Side {
        (sides >> min(number, Int.bitWidth - 1)) & 1 == 1 ? .client : .server
    }
}

extension JSON {
    /// A member, or a member of a member: `/in/a`.
    package subscript(path path: String) -> JSON? {
        get { path.split(separator: "/").reduce(self) { $0?[String($1)] } }
        set {
            let keys = path.split(separator: "/").map { String($0) }
            guard let first = keys.first else { return }
            guard keys.count > 1 else { return self[first] = newValue }
            // A missing member has nothing to remove.
            guard newValue != nil || self[first]?.object != nil else { return }
            var inner = self[first] ?? [:]
            inner[keys[1]] = newValue
            self[first] = inner
        }
    }
}
