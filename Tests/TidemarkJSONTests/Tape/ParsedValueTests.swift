import Testing

@testable import TidemarkJSON

/// A value built in code, and the same value parsed from its compact text and from its pretty text.
private struct Spelled {
    let made: JSON
    let parsed: JSON
    let spaced: JSON

    init(_ value: JSON) throws {
        self.made = value
        self.parsed = try JSON(parsing: value.bytes)
        self.spaced = try JSON(parsing: value.prettyText)
    }

    var all: [JSON] { [self.made, self.parsed, self.spaced] }
}

@Suite struct `A parsed value and the same value built in code` {
    @Test(arguments: seeds)
    func `a parsed value and a built value have the same hash and the same text`(seed: UInt64) {
        forAll(seed: seed) {
            $0.value()
        } holds: { value in
            let all = try Spelled(value).all
            for one in all {
                guard all.allSatisfy({ $0 == one && one == $0 }) else { return "equality" }
                guard all.allSatisfy({ $0.hashValue == one.hashValue }) else { return "hash" }
                guard all.allSatisfy({ $0.text == one.text && $0.prettyText == one.prettyText }) else { return "text" }
                guard one.detached == one, one.detached.text == one.text else { return "detached" }
            }
            return nil
        }
    }

    @Test(arguments: seeds)
    func `a parsed value and a built value are unequal to the same values`(seed: UInt64) {
        forAll(seed: seed) {
            let value = $0.value()
            return Pair(first: value, second: $0.edited(value))
        } holds: { pair in
            let isSame = pair.first == pair.second
            for one in try Spelled(pair.first).all {
                for other in try Spelled(pair.second).all where (one == other) != isSame { return "equality" }
            }
            return nil
        }
    }

    @Test(arguments: seeds)
    func `a parsed value and a built value have the same value at every place`(seed: UInt64) {
        law(seed: seed) {
            $0.value()
        } holds: { value in
            let spelled = try Spelled(value)
            return value.places().allSatisfy { place in
                spelled.parsed[pointer: place]?.text == value[pointer: place]?.text
                    && spelled.spaced[pointer: place]?.text == value[pointer: place]?.text
            }
        }
    }

    @Test(arguments: seeds)
    func `a parsed value and a built value have the same differences`(seed: UInt64) {
        law(seed: seed, Revision.random) { revision in
            let made = JSONPatch.diff(from: revision.before, to: revision.after)
            guard let before = revision.before, let after = revision.after else { return true }
            let (old, new) = (try Spelled(before), try Spelled(after))
            return JSONPatch.diff(from: old.parsed, to: new.parsed).text == made.text
                && JSONPatch.diff(from: old.spaced, to: new.made).text == made.text
                && JSONMergePatch.diff(from: old.parsed, to: new.spaced)?.json.text
                    == JSONMergePatch.diff(from: before, to: after)?.json.text
        }
    }

    @Test(arguments: seeds)
    func `a diff patches a parsed value and a built value to the same value`(seed: UInt64) {
        law(seed: seed, Revision.random) { revision in
            guard let before = revision.before else { return true }
            let patch = JSONPatch.diff(from: before, to: revision.after)
            let made = try patch.apply(to: before)?.text
            let spelled = try Spelled(before)
            return try patch.apply(to: spelled.parsed)?.text == made && patch.apply(to: spelled.spaced)?.text == made
        }
    }

    @Test(arguments: seeds)
    func `any patch changes a parsed value and a built value to the same value`(seed: UInt64) {
        law(seed: seed, Patched.random) { patched in
            guard let document = patched.document else { return true }
            let made = try patched.first.apply(to: document)?.text
            let spelled = try Spelled(document)
            return try patched.first.apply(to: spelled.parsed)?.text == made
                && patched.first.apply(to: spelled.spaced)?.text == made
        }
    }

    @Test(arguments: seeds)
    func `a parsed value and a built value merge to the same value`(seed: UInt64) {
        law(seed: seed, Fork.random) { fork in
            guard let base = fork.base, let server = fork.server, let client = fork.client else { return true }
            let made = fork.merge()
            let parsed = JSONMerge.merge(
                base: try Spelled(base).parsed, server: try Spelled(server).parsed, client: try Spelled(client).spaced)
            return parsed == made && parsed.merged?.text == made.merged?.text && parsed.patch.text == made.patch.text
        }
    }
}

@Suite struct `A change of a parsed value` {
    private static let text = #"{ "a" : {"b":1.0,"c":[1,2]} , "d":"\u0041" }"#

    @Test func `a change of a parsed value does not change its copies`() throws {
        let first = try JSON(parsing: Self.text)
        var second = first
        second["a"]?["b"] = 2
        second["e"] = true
        #expect(first.text == #"{"a":{"b":1.0,"c":[1,2]},"d":"\u0041"}"#)
        #expect(second.text == #"{"a":{"b":2,"c":[1,2]},"d":"\u0041","e":true}"#)
    }

    @Test func `arrays and objects inside a parsed value can be changed`() throws {
        var value = try JSON(parsing: Self.text)
        value.a?.c?.append(3)
        value["a"]?["c"]?[0] = nil
        value["d"] = nil
        #expect(value.text == #"{"a":{"b":1.0,"c":[2,3]}}"#)
        var object = try #require(try JSON(parsing: Self.text).object)
        object["d"] = [:]
        #expect(JSON.object(object).text == #"{"a":{"b":1.0,"c":[1,2]},"d":{}}"#)
    }

    @Test(arguments: [5, 31, 32, 33, 100])
    func `a patch of a large parsed value changes only its own place`(count: Int) throws {
        let list = (0..<count).map { "[\($0)]" }.joined(separator: ",")
        let members = (0..<count).map { "\"k\($0)\":{\"n\":\($0)}" }.joined(separator: ",")
        let value = try JSON(parsing: "{\"list\":[\(list)],\"members\":{\(members)}}")
        for place in 0..<count {
            #expect(value["list"]?[place]?[0]?.int == place)
            #expect(value["members"]?["k\(place)"]?["n"]?.int == place)
        }
        #expect(value["list"]?[count] == nil && value["members"]?["k\(count)"] == nil)
        let path = JSONPointer(tokens: ["members", "k3", "n"])
        let changed = try #require(try JSONPatch([.replace(path, 7)]).apply(to: value))
        #expect(changed[pointer: path] == 7 && changed["members"]?["k4"]?["n"] == 4)
        #expect(JSONPatch.diff(from: value, to: changed).operations == [.replace(path, 7)])
        #expect(changed["list"] == value["list"] && changed["members"]?.object?.count == count)
    }
}

@Suite struct `A patch that is applied in one pass` {
    @Test(arguments: [
        (#"[{"op":"add","path":"/n","value":1},{"op":"add","path":"/o/n","value":2}]"#, #"{"a":1,"o":{"n":2},"n":1}"#),
        (#"[{"op":"replace","path":"/o","value":2},{"op":"add","path":"/n","value":1}]"#, #"{"a":1,"o":2,"n":1}"#),
        (#"[{"op":"remove","path":"/o"},{"op":"remove","path":"/a"}]"#, "{}"),
        (#"[{"op":"remove","path":"/o"},{"op":"add","path":"/o","value":2}]"#, #"{"a":1,"o":2}"#),
        (#"[{"op":"replace","path":"/o","value":{}},{"op":"add","path":"/o/x","value":2}]"#, #"{"a":1,"o":{"x":2}}"#),
        (#"[{"op":"add","path":"/n","value":1},{"op":"add","path":"/n","value":2}]"#, #"{"a":1,"o":{},"n":2}"#),
        (
            #"[{"op":"add","path":"/n","value":{}},{"op":"add","path":"/n/x","value":2}]"#,
            #"{"a":1,"o":{},"n":{"x":2}}"#
        ),
    ])
    func `a patch in one pass has the effect of its operations in turn`(patch: String, result: String) throws {
        let patch = try JSONPatch(parsing: patch)
        let document: JSON = ["a": 1, "o": [:]]
        #expect(try patch.apply(to: document)?.text == result)
        #expect(try patch.apply(to: JSON(parsing: document.bytes))?.text == result)
        #expect(try patch.apply(to: JSON(parsing: document.prettyText))?.text == result)
    }
}
