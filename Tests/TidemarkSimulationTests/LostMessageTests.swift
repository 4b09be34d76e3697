import Testing
import TidemarkSimulation

/// The final state does not depend on whether a message arrived (I9).
@Suite struct LostMessageTests {
    @Test func `a lost answer changes no final state, whatever another device does (I9, R17)`() throws {
        for seed in 1...100 as ClosedRange<UInt64> {
            let message = LostMessage(seed: seed)
            #expect(try message.differences() == [], "seed \(seed)\n\(message.script)")
        }
    }

    @Test func `a lost request leads to another end than a lost answer in some runs`() throws {
        var (taken, others) = (0, 0)
        for seed in 1...40 as ClosedRange<UInt64> {
            let message = LostMessage(seed: seed)
            let end = try message.end(.answerLost)
            if !end.taken.isEmpty { taken += 1 }
            if try message.end(.requestLost).rows != end.rows { others += 1 }
        }
        #expect(taken > 10 && others > 2, "\(taken) of 40 were accepted, and \(others) end differently")
    }
}
