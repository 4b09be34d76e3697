import TidemarkCore
import TidemarkTesting
import Testing

@Suite struct CountingMeetingTests {
    @Test(arguments: 1...80 as ClosedRange<UInt64>)
    func `I9 every difference is counted once, whatever happens to the messages and whoever is held`(
        seed: UInt64
    ) throws {
        let meeting = try CountingMeeting(seed: seed)
        try meeting.run(steps: 250)
        let mistake = try meeting.mistake()
        #expect(mistake == nil, "seed \(seed):\n\(meeting.log.suffix(80).joined(separator: "\n"))")
    }

    @Test func `some of these meetings hold a record with its upload, which is the hardest of it`() throws {
        var holds = 0
        for seed in 1...10 as ClosedRange<UInt64> {
            let meeting = try CountingMeeting(seed: seed)
            try meeting.run(steps: 250)
            holds += meeting.holds
        }
        #expect(holds > 10)
    }
}
