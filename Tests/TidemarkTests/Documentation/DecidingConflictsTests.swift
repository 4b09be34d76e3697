import Testing
import Tidemark

// The rule, the tactic and the tests of "Conflicts: choose, write, test", word for word.

/// Of two states of an order, the one that is further along wins.
struct FurtherAlong: FieldRule {
    let order = ["open", "packed", "shipped", "delivered"]

    func decide(_ field: FieldConflict) -> FieldOutcome {
        guard let server = field.server?.string, let client = field.client?.string,
            let there = self.order.firstIndex(of: server), let here = self.order.firstIndex(of: client)
        else { return .client }
        return there > here ? .server : .client
    }
}

/// A task that either side closed stays closed. The next tactic decides everything else.
struct ClosedStaysClosed: Tactic {
    func decide(_ conflict: RecordConflict) -> Verdict? {
        guard conflict.server?.closed == true || conflict.client?.closed == true else { return nil }
        guard var merged = conflict.merged else { return nil }
        merged.closed = true
        return .merge(merged)
    }
}

func closedRules() -> CollectionRules {
    CollectionRules(tactic: FirstThatDecides(ClosedStaysClosed(), .autoMerge))
}

@Test func `the user's choice is stored, also inside an array that is merged by key`() throws {
    let rules = try FieldRules([("/subtasks", .keyed("id")), ("/subtasks/*/text", .ask)])
    let conflict = RecordConflict(
        collection: "tasks", pk: "1", base: ["subtasks": [["id": "a", "text": "A"], ["id": "b", "text": "B"]]],
        server: ["subtasks": [["id": "a", "text": "A laptop"], ["id": "b", "text": "B laptop"]]],
        client: ["subtasks": [["id": "a", "text": "A phone"], ["id": "b", "text": "B phone"]]], fields: rules)
    var choices = RecordConflict.Choices(conflict)
    choices["/subtasks/a/text"] = .client
    choices["/subtasks/b/text"] = .server
    #expect(choices.record == ["subtasks": [["id": "a", "text": "A phone"], ["id": "b", "text": "B laptop"]]])
    #expect(choices.verdict == .fields(["/subtasks/a/text": .client, "/subtasks/b/text": .server]))
}

@Test func `an order that is shipped on the server is not set back to packed`() throws {
    let rules = try FieldRules([("/state", FurtherAlong())])
    let merge = rules.merge(base: ["state": "open"], server: ["state": "shipped"], client: ["state": "packed"])
    #expect(merge.merged == ["state": "shipped"])
    #expect(merge.clashes.map(\.path.text) == ["/state"])
}

@Test func `a task that is closed on the server stays closed`() {
    let conflict = RecordConflict(
        collection: "tasks", pk: "1", base: ["text": "a"], server: ["text": "b", "closed": true], client: ["text": "c"])
    #expect(ClosedStaysClosed().decide(conflict) == .merge(["text": "c", "closed": true]))
}
