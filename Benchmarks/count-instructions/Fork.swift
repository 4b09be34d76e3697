import TidemarkJSON

/// A document, and the versions of two sides.
struct Fork {
    var base: JSON
    var server: JSON
    var client: JSON

    func patch() throws -> Patching {
        Patching(document: self.base, patch: .diff(from: self.base, to: self.server))
    }

    /// An object in which one side changes the odd members, and the other side every third one.
    static func ofMembers(_ size: Int) -> Fork {
        self.fork(size) { "k\($0)" }
    }

    /// Keys that differ at their very end.
    static func ofLongKeys(_ size: Int) throws -> Fork {
        let keys = (0..<4).map { #"\u0041"# + String(repeating: "B", count: size) + String($0) }
        let side = { (value: Int) in
            try JSON(parsing: "{" + keys.map { "\"\($0)\":\(value)" }.joined(separator: ",") + "}")
        }
        return Fork(base: try side(1), server: try side(2), client: try side(3))
    }

    static func shuffled(_ size: Int) -> Fork {
        let fork = self.ofMembers(size)
        return Fork(
            base: fork.base, server: .object(JSONObject((fork.server.object ?? [:]).reversed())),
            client: .object(JSONObject((fork.client.object ?? [:]).reversed())))
    }

    static func deep(_ size: Int) throws -> Fork {
        let side = { (value: Int) in
            try JSON(
                parsing: String(repeating: #"{"a":"#, count: size) + String(value) + String(repeating: "}", count: size)
            )
        }
        return Fork(base: try side(1), server: try side(2), client: try side(3))
    }

    private static func fork(_ size: Int, _ key: @escaping (Int) -> String) -> Fork {
        let side = { (isChanged: (Int) -> Bool, value: Int) -> JSON in
            .object(
                JSONObject(
                    (0..<size).map { (key($0), .number(JSONNumber(isChanged($0) ? value : $0))) }))
        }
        return Fork(
            base: side({ _ in false }, 0), server: side({ $0 % 2 == 1 }, -1), client: side({ $0 % 3 == 0 }, -2))
    }
}

// The inputs of field rules.
extension Fork {
    /// A field `f` of a record; the record has another field, too.
    private static func field(_ base: JSON, _ server: JSON, _ client: JSON) -> Fork {
        let record = { (value: JSON) -> JSON in ["f": value, "other": true] }
        return Fork(base: record(base), server: record(server), client: record(client))
    }

    /// Numbers in order. Each side adds one at the end and removes one at the start.
    static func list(_ size: Int) -> Fork {
        let base = (0..<size).map { JSON.number(JSONNumber($0)) }
        return self.field(
            .array(base), .array(Array(base.dropFirst(1)) + [-1]), .array([base[0]] + base.dropFirst(2) + [-2]))
    }

    /// A list with more insertions and removals than the limit of a rule.
    static func anotherList(_ size: Int) -> Fork {
        let list = { (start: Int) -> JSON in .array((0..<size).map { .number(JSONNumber(start + $0)) }) }
        return self.field(list(0), list(size), list(2 * size))
    }

    static func union(_ size: Int) -> Fork {
        let list = { (start: Int) -> JSON in .array((0..<size).map { .string(JSONString("t\(start + $0)")) }) }
        return self.field(list(0), list(size / 2), list(size / 3))
    }

    private static func element(_ key: Int, _ value: Int) -> JSON {
        ["id": .number(JSONNumber(key)), "n": .number(JSONNumber(value))]
    }

    /// Objects in three orders, most of them changed on both sides.
    static func keyed(_ size: Int) -> Fork {
        let shuffled = { (step: Int, value: Int) -> JSON in
            .array((0..<size).map { self.element($0 * step % size, value) })
        }
        return self.field(shuffled(1, 0), shuffled(size - 1, 1), shuffled(size / 2 * 2 + 1, 2))
    }

    /// Lines of which each side rewrites every tenth, some of them both.
    static func text(_ size: Int) -> Fork {
        let text = { (step: Int, word: String) -> JSON in
            let lines = (0..<size).map { "line \($0) \($0 < 100 && $0 % step == 0 ? word : "is")" }
            return .string(JSONString(lines.joined(separator: "\n")))
        }
        return self.field(text(.max, ""), text(10, "was"), text(15, "will be"))
    }

    /// One line of many words, rewritten on both sides.
    static func words(_ size: Int) -> Fork {
        let text = { (first: String, last: String) -> JSON in
            .string(JSONString(first + String(repeating: " and", count: size) + " " + last))
        }
        return self.field(text("a", "b"), text("c", "b"), text("a", "d"))
    }

    static func digits(_ size: Int) throws -> Fork {
        let number = { (last: Int) in try JSON(parsing: String(repeating: "9", count: size) + String(last)) }
        return self.field(try number(1), try number(2), try number(3))
    }
}
