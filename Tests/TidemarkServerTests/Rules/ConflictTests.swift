import Testing
import TidemarkJSON

@Suite("Conflicts depend on the row's version alone (W1, W2)", .overEachStorage)
struct ConflictTests {
    @Test func `an edit with the row's version is accepted (W1)`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let result = try #require(try server.post(setting("r1", "1", version, to: 2)).results.first)
        #expect(result.isAccepted)
        #expect(result.item?["data"] == ["a": 2])
        #expect(try #require(result.version) > version)
    }

    @Test func `an edit with another version is conflicted, and its result has the row (W1, W2)`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        for (id, stale) in [("older", version - 1), ("newer", version + 1), ("none", nil)] as [(String, Int?)] {
            let result = try #require(try server.post(setting(id, "1", stale, to: 2)).results.first)
            #expect(result.isConflicted == true)
            #expect(result.item?["data"] == ["a": 1])
            #expect(result.version == version)
            #expect(result.json["error"]?.isNull == true)
        }
        #expect(server.get("1").text.contains(#""data":{"a":1}"#))
    }

    @Test func `a conflict does not depend on the cursor (W1)`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let start = try server.list().cursor
        let second = try #require(try server.post(setting("r1", "1", version, to: 2)).results.first?.version)
        try server.make("2")
        let fresh = try server.list().cursor
        // A reader that has read everything, but names the old version of the row.
        let result = try #require(try server.post(setting("r2", "1", version, to: 3), after: fresh).results.first)
        #expect(result.isConflicted == true)
        // A reader that is far behind, but names the current version.
        let other = try #require(try server.post(setting("r3", "1", second, to: 3), after: start).results.first)
        #expect(other.isAccepted)
    }

    @Test func `an EDITED without a row is conflicted with item null (W1)`() throws {
        let server = try ServerHarness()
        for (id, version) in [("a", nil), ("b", 5)] as [(String, Int?)] {
            let result = try #require(try server.post(setting(id, "1", version, to: 2)).results.first)
            #expect(result.isConflicted == true)
            #expect(result.json["item"]?.isNull == true)
        }
        #expect(server.get("1").status == 404)
    }

    @Test func `an EDITED over a tombstone is conflicted with any version, and returns it (W1)`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let gone = try #require(try server.post(deleted("d", "1", version)).results.first?.version)
        for (id, named) in [("a", version), ("b", gone), ("c", nil)] as [(String, Int?)] {
            let result = try #require(try server.post(setting(id, "1", named, to: 2)).results.first)
            #expect(result.isConflicted == true)
            #expect(result.version == gone)
            #expect(result.item?["is_active"] == false)
            #expect(result.item?["data"] == nil)
        }
    }

    @Test func `a CREATED with a version and without a row is conflicted with item null (W1)`() throws {
        let server = try ServerHarness()
        let result = try #require(try server.post(created("r", "1", ["a": 1], over: 7)).results.first)
        #expect(result.isConflicted == true)
        #expect(result.json["item"]?.isNull == true)
        #expect(server.get("1").status == 404)
    }

    @Test func `a CREATED over a live row is conflicted and returns the row (W1)`() throws {
        let server = try ServerHarness()
        let version = try server.make("1", ["mine": true])
        let result = try #require(try server.post(created("r", "1", ["theirs": true])).results.first)
        #expect(result.isConflicted == true)
        #expect(result.version == version)
        #expect(result.item?["data"] == ["mine": true])
    }

    @Test func `a CREATED over a tombstone needs the tombstone's version (W1)`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let gone = try #require(try server.post(deleted("d", "1", version)).results.first?.version)
        let unseen = try #require(try server.post(created("r1", "1", ["a": 2])).results.first)
        #expect(unseen.isConflicted == true)
        #expect(unseen.version == gone)
        let seen = try #require(try server.post(created("r2", "1", ["a": 2], over: gone)).results.first)
        #expect(seen.isAccepted)
        #expect(try #require(seen.version) > gone)
        #expect(seen.item?["data"] == ["a": 2])
    }

    @Test func `versions are compared by value, not by spelling (W1)`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        var edit = setting("r", "1", nil, to: 2)
        edit["updated_at"] = .number(try #require(JSONNumber("\(version).0")))
        #expect(try server.post(edit).results.first?.isAccepted == true)
    }

    @Test func `a version that the server never assigned differs from the row's (W1)`() throws {
        let server = try ServerHarness()
        try server.make("1")
        var edit = setting("r", "1", nil, to: 2)
        edit["updated_at"] = .number(try #require(JSONNumber("1e400")))
        #expect(try server.post(edit).results.first?.isConflicted == true)
    }

    @Test func `the result of a conflicted delete has the row (W2)`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let result = try #require(try server.post(deleted("d", "1", version - 1)).results.first)
        #expect(result.isConflicted == true)
        #expect(result.item?["data"] == ["a": 1])
        #expect(server.get("1").status == 200)
    }

    @Test func `records differ by code point, not by canonical equivalence`() throws {
        let server = try ServerHarness()
        try server.make("caf\u{E9}", ["form": "composed"])
        try server.make("cafe\u{301}", ["form": "decomposed"])
        try server.make("nul\u{0}byte", ["form": "nul"])
        #expect(server.get("caf%C3%A9").text.contains("\"composed\""))
        #expect(server.get("cafe%CC%81").text.contains("\"decomposed\""))
        #expect(server.get("nul%00byte").text.contains("\"nul\""))
        #expect(try server.list().items.count == 3)
    }
}
