import TidemarkJSON

extension Operation {
    /// Lookups of members with hostile keys.
    static var lookups: [Operation] {
        [
            Operation("look-up beside-a-long-key", size: 50, { try Looking(key: "B", in: $0) }, { $0.tests() }),
            Operation(
                "look-up beside-an-escaped-long-key", size: 50, { try Looking(key: #"\u0041"#, in: $0) },
                { $0.tests() }),
            Operation(
                "look-up of-a-long-key-in-another-spelling", size: 50, { try Looking(key: #"\u0042"#, in: $0) },
                { $0.compare() }),
            Operation(
                "look-up compared-with-a-long-key", size: 50, { try Looking(key: #"\u0041"#, in: $0) },
                { $0.comparisons() }),
            Operation("look-up added-and-removed", size: 50, Looking.amongMany, { $0.additionsAndRemovals() }),
        ]
    }

    /// Comparing and changing documents.
    static var patches: [Operation] {
        [
            Operation("diff members", size: 100, Fork.ofMembers) { _ = JSONPatch.diff(from: $0.base, to: $0.server) },
            Operation("diff shuffled-members", size: 100, Fork.shuffled) {
                _ = JSONPatch.diff(from: $0.base, to: $0.server)
            },
            Operation("diff deep", size: 200, Fork.deep) { _ = JSONPatch.diff(from: $0.base, to: $0.server) },
            Operation("diff escaped-long-keys", size: 500, Fork.ofLongKeys) {
                _ = JSONPatch.diff(from: $0.base, to: $0.server)
            },
            Operation("diff-text members", size: 150, Fork.ofMembers) {
                _ = JSONPatch.diff(from: $0.base, to: $0.server).bytes
            },
            Operation("diff-text shuffled-members", size: 150, Fork.shuffled) {
                _ = JSONPatch.diff(from: $0.base, to: $0.server).bytes
            },
            Operation("diff-text deep", size: 200, Fork.deep) {
                _ = JSONPatch.diff(from: $0.base, to: $0.server).bytes
            },
            Operation("diff-text escaped-long-keys", size: 500, Fork.ofLongKeys) {
                _ = JSONPatch.diff(from: $0.base, to: $0.server).bytes
            },
            Operation("patch replaced-members", size: 100, Fork.ofMembers) { try $0.patch().applied() },
            Operation("patch elements", size: 100, Patching.appending) { try $0.applied() },
            Operation("patch copies-of-copies", size: 8, Patching.copying) { try $0.applied() },
            Operation("patch moves", size: 100, Patching.moving) { try $0.applied() },
            Operation("patch deep", size: 100, Patching.deep) { try $0.applied() },
            Operation("patch parsed", size: 100, { Patching.appending($0).patch.bytes }) {
                _ = try JSONPatch(parsing: $0)
            },
            Operation("merge-patch members", size: 100, Fork.ofMembers) {
                _ = JSONMergePatch.diff(from: $0.base, to: $0.server)?.apply(to: $0.base)
            },
        ]
    }
}

/// A small object with a long key, and many lookups of another key in it.
struct Looking {
    let document: JSON
    let count: Int

    init(key: String, in size: Int) throws {
        let long = key + String(repeating: "B", count: 100 * size)
        self.document = try JSON(parsing: #"{"\#(long)":1,"a":1}"#)
        self.count = size
    }

    private init(document: JSON, count: Int) {
        self.document = document
        self.count = count
    }

    /// An object with enough members for an index, one of them with a long key.
    static func amongMany(_ size: Int) throws -> Looking {
        let members = (0..<14).map { #""k\#($0)":1"# } + [#""\#(String(repeating: "B", count: 100 * size))":1"#]
        return Looking(document: try JSON(parsing: "{\(members.joined(separator: ","))}"), count: size)
    }

    func tests() {
        let test = JSONPatch([.test(JSONPointer(tokens: ["a"]), 1)])
        for _ in 0..<self.count { _ = try? test.apply(to: self.document) }
    }

    /// The same key, written without the escape.
    func compare() {
        let key = String(repeating: "B", count: 100 * self.count + 1)
        for _ in 0..<4 { _ = self.document[key] }
    }

    func comparisons() {
        let test = JSONPatch([.test(.root, ["b": 1, "c": 1])])
        for _ in 0..<self.count { _ = try? test.apply(to: self.document) }
    }

    func additionsAndRemovals() {
        let (one, two) = (JSONPointer(tokens: ["x"]), JSONPointer(tokens: ["y"]))
        let round: [JSONPatch.Operation] = [.add(one, 1), .add(two, 1), .remove(one), .remove(two)]
        let patch = JSONPatch(Array(repeating: round, count: self.count).flatMap { $0 })
        _ = try? patch.apply(to: self.document)
    }
}

/// A document and a patch for it.
struct Patching {
    let document: JSON
    let patch: JSONPatch

    func applied() throws {
        _ = try self.patch.apply(to: self.document)
    }

    static func appending(_ size: Int) -> Patching {
        let path = JSONPointer(tokens: ["list", "-"])
        return Patching(
            document: ["list": []], patch: JSONPatch((0..<size).map { .add(path, .number(JSONNumber($0))) }))
    }

    /// Each copy doubles the document, so the size is the number of bytes: twice the size is one copy more.
    static func copying(_ size: Int) -> Patching {
        let operations = (0..<8).map { _ in
            JSONPatch.Operation.copy(from: JSONPointer(tokens: ["list"]), to: JSONPointer(tokens: ["list", "-"]))
        }
        return Patching(document: ["list": .array(Array(repeating: 1, count: size))], patch: JSONPatch(operations))
    }

    static func moving(_ size: Int) -> Patching {
        let (left, right) = (JSONPointer(tokens: ["a", "x"]), JSONPointer(tokens: ["b", "x"]))
        let round: [JSONPatch.Operation] = [.move(from: left, to: right), .move(from: right, to: left)]
        return Patching(
            document: ["a": ["x": [1, 2]], "b": [:], "k": .string(JSONString(String(repeating: "B", count: size)))],
            patch: JSONPatch(Array(repeating: round, count: size).flatMap { $0 }))
    }

    /// A path of `size` steps, twice.
    static func deep(_ size: Int) throws -> Patching {
        let path = JSONPointer(tokens: Array(repeating: "a", count: size))
        return Patching(
            document: try JSON(parsing: Shape.deepObjects(size)),
            patch: JSONPatch([.replace(path, 2), .test(path, 2), .remove(path)]))
    }
}
