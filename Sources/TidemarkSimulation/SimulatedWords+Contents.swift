package import TidemarkJSON
package import TidemarkRules
import TidemarkTesting

// What people write, and what they decide.

extension SimulatedWords {
    package static func json(_ word: Int) -> JSON { .string(JSONString("v\(word)")) }

    /// At the end of an array, or of a text.
    static func appended(_ word: Int, to value: JSON?) -> JSON {
        if let text = value?.string { return .string(JSONString("\(text) v\(word)")) }
        return .array((value?.array ?? []) + [Self.json(word)])
    }

    /// At a place within an array, or a text.
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

    /// Without an element of an array, or a word of a text; as it is where it has none.
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

    /// With an element of an array at another place.
    static func moved(_ index: Int, to other: Int, in value: JSON?) -> JSON? {
        guard var elements = value?.array, !elements.isEmpty else { return value }
        let element = elements.remove(at: index % elements.count)
        elements.insert(element, at: other % (elements.count + 1))
        return .array(elements)
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
    /// What an act makes of a record that is there, and the word that is typed with it; nil for what is no edit.
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
        case .create, .draft, .save, .add, .delete, .release, .resign, .restore, .restoreLost, .look, .decide,
            .resolve, .begin, .sync, .persist, .carry, .wake, .renew, .restart, .fail, .crash, .clock, .account, .copy,
            .respell, .run, .stop, .later, .offline, .online, .hear:
            nil
        }
    }
}

extension SimulationStep.Choice {
    /// The verdict of a person who was shown a conflict.
    package func verdict(about conflict: RecordConflict) -> Verdict {
        switch self {
        case .server: .takeServer
        case .client: .takeClient
        case .clashesForServer: .clashes(.server)
        case .clashesForClient: .clashes(.client)
        case .ask: .ask
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

extension JSON {
    /// A member, or a member of a member: `/in/a`.
    package subscript(path path: String) -> JSON? {
        get { path.split(separator: "/").reduce(self) { $0?[String($1)] } }
        set {
            let keys = path.split(separator: "/").map { String($0) }
            guard let first = keys.first else { return }
            guard keys.count > 1 else { return self[first] = newValue }
            // There is nothing to remove of what is not there.
            guard newValue != nil || self[first]?.object != nil else { return }
            var inner = self[first] ?? [:]
            inner[keys[1]] = newValue
            self[first] = inner
        }
    }
}
