import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

@Suite("Contract §8: the merge of a draft") struct DraftMergeTests {
    /// Tactics that decide without the user.
    static let tactics: [any Tactic] = [AutoMerge(), TakeServer(), TakeClient()]

    /// A record with few fields, so that both sides change the same ones.
    private static func record(_ generator: inout SeededGenerator, depth: Int = 2) -> JSON {
        let names = ["a", "b", "c", "é", "e\u{301}", "x/y"]
        return names.reduce(into: [:] as JSON) { record, name in
            guard Bool.random(using: &generator) else { return }
            record[name] = Self.value(&generator, depth: depth - 1)
        }
    }

    private static func value(_ generator: inout SeededGenerator, depth: Int) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &generator) {
        case 0: JSON(Int.random(in: 0...2, using: &generator))
        case 1: JSON(["x", "y"].randomElement(using: &generator))
        case 2: .null
        case 3: JSON([Int.random(in: 0...1, using: &generator)])
        default: Self.record(&generator, depth: depth)
        }
    }

    /// The record with some fields changed.
    private static func changed(_ record: JSON, _ generator: inout SeededGenerator) -> JSON {
        let other = Self.record(&generator)
        return (record.object?.keys ?? []).reduce(into: other) { result, name in
            if !Int.random(in: 0..<3, using: &generator).isMultiple(of: 3) { result[name] = record[name] }
        }
    }

    /// The place where the outcome breaks the rule: a field that one side did not change has the value of the other side.
    private static func flaw(_ base: JSON?, _ stored: JSON?, _ draft: JSON?, _ final: JSON?, at path: JSONPointer)
        -> String?
    {
        if draft == base { return final == stored ? nil : "“\(path)” is not as it is stored" }
        if stored == base { return final == draft ? nil : "“\(path)” is not as the draft has it" }
        // A rule takes an object as one value.
        guard !["/a", "/b", "/c"].contains(path.text) else { return nil }
        guard let stored = stored?.object, let draft = draft?.object, base == nil || base?.object != nil else {
            return nil
        }
        let names = Set((stored.keys + draft.keys + (base?.object?.keys ?? [])).map { CodePointString($0) })
        for name in names.map(\.value) {
            let flaw = Self.flaw(base?[name], stored[name], draft[name], final?[name], at: path.appending(name))
            if let flaw { return flaw }
        }
        return nil
    }

    @Test(arguments: 0..<3, [1, 2, 3, 4] as [UInt64])
    func `a field that only one side changed has that side's value`(tactic: Int, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let rules = CollectionRules(
            tactic: Self.tactics[tactic], fields: try FieldRules([("/a", .server), ("/b", .union), ("/c", .sum)]))
        for _ in 0..<2_000 {
            let base = Self.record(&generator)
            let (stored, draft) = (Self.changed(base, &generator), Self.changed(base, &generator))
            let merge = try DraftMerge(
                base: base, stored: (stored, nil), draft: draft, of: "42", in: "notes", rules, RecordMembers())
            guard case .record(let final) = merge.outcome({ _ in nil }) else {
                Issue.record("the user is asked about \(base), \(stored), \(draft)")
                return
            }
            if let flaw = Self.flaw(base, stored, draft, final, at: .root) {
                Issue.record("\(flaw): base \(base), stored \(stored), draft \(draft), saved \(final)")
                return
            }
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `the user's answers decide the undecided fields, and no others`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let rules = CollectionRules(tactic: .askUser)
        for _ in 0..<2_000 {
            let base = Self.record(&generator)
            let (stored, draft) = (Self.changed(base, &generator), Self.changed(base, &generator))
            let merge = try DraftMerge(
                base: base, stored: (stored, nil), draft: draft, of: "42", in: "notes", rules, RecordMembers())
            guard case .undecided(let clashes) = merge.outcome({ _ in nil }) else { continue }
            let answers = clashes.map { _ in Bool.random(using: &generator) ? Verdict.Side.server : .client }
            let chosen = Dictionary(uniqueKeysWithValues: zip(clashes, answers))
            guard case .record(let final) = merge.outcome({ chosen[$0] }) else {
                Issue.record("the user is asked again about \(base), \(stored), \(draft)")
                return
            }
            for (clash, side) in chosen
            where final[pointer: clash.path] != (side == .server ? clash.server : clash.client) {
                Issue.record("“\(clash.path)” is not as it was answered: \(final)")
            }
            if let flaw = Self.flaw(base, stored, draft, final, at: .root) {
                Issue.record("\(flaw): base \(base), stored \(stored), draft \(draft), saved \(final)")
                return
            }
        }
    }

    @Test func `members that the server owns keep their stored value`() throws {
        let members = RecordMembers(server: [try JSONPointer(parsing: "/updated")])
        let merge = try DraftMerge(
            base: ["n": 1, "updated": 1], stored: (["n": 1, "updated": 2], "7"), draft: ["n": 2, "updated": 1],
            of: "42",
            in: "notes", CollectionRules(tactic: .askUser), members)
        guard case .record(let final) = merge.outcome({ _ in nil }) else {
            Issue.record("the user is asked about an unchanged field")
            return
        }
        #expect(final == ["n": 2, "updated": 2])
    }
}
