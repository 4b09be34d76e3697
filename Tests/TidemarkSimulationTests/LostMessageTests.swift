import Testing
import TidemarkSimulation

/// Whether a message arrived makes no difference in the end (I9).
@Suite struct LostMessageTests {
    @Test func `I9 R17 a lost answer changes nothing in the end, whatever another device does meanwhile`() throws {
        for seed in 1...100 as ClosedRange<UInt64> {
            let message = LostMessage(seed: seed)
            #expect(try message.differences() == [], "seed \(seed)\n\(message.script)")
        }
    }

    @Test func `a run in which the request is lost is another one than that in which it arrives`() throws {
        var (taken, others) = (0, 0)
        for seed in 1...40 as ClosedRange<UInt64> {
            let message = LostMessage(seed: seed)
            let end = try message.end(.answerLost)
            if !end.taken.isEmpty { taken += 1 }
            if try message.end(.requestLost).rows != end.rows { others += 1 }
        }
        #expect(taken > 10 && others > 2, "\(taken) of 40 were taken, and \(others) end otherwise")
    }
}
