import TidemarkCore
import Testing
import TidemarkJSON
import TidemarkRules

/// The example in the documentation of `Tactic`, word for word.
private struct NewestPriceWins: Tactic {
    func decide(_ conflict: RecordConflict) -> Verdict? {
        guard conflict.collection == "prices" else { return nil }
        return .takeServer
    }
}

@Suite struct DocumentedTacticTests {
    private func conflict(in collection: String) -> RecordConflict {
        RecordConflict(collection: collection, pk: "42", base: ["n": 1], server: ["n": 2], client: ["n": 3])
    }

    @Test func `the documented tactic decides prices and leaves the rest to the next tactic`() {
        let tactic = FirstThatDecides(NewestPriceWins(), .autoMerge)
        #expect(tactic.decide(self.conflict(in: "prices")) == .takeServer)
        #expect(NewestPriceWins().decide(self.conflict(in: "notes")) == nil)
        #expect(tactic.decide(self.conflict(in: "notes")) == .merge(["n": 3]))
    }
}
