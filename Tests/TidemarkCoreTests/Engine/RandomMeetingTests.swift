import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

@Suite struct RandomMeetingTests {
    static let seeds: [UInt64] = Array(1...60)

    @Test(arguments: seeds)
    func `I2 I3 I9 lost, repeated and late messages change nothing in the end`(seed: UInt64) throws {
        let meeting = try RandomMeeting(seed: seed)
        try meeting.run(steps: 300)
        #expect(try meeting.mistake() == nil, "seed \(seed):\n\(meeting.log.suffix(60).joined(separator: "\n"))")
    }

    @Test(arguments: seeds.prefix(30))
    func `every write that someone waits for has an outcome once all is quiet`(seed: UInt64) throws {
        let meeting = try RandomMeeting(seed: seed)
        try meeting.run(steps: 300)
        #expect(meeting.waits > 40)
        for device in meeting.meeting.devices {
            #expect(!device.outcomes.isEmpty)
            #expect(device.engine.openWriteCount == 0, "\(device.name), seed \(seed)")
        }
    }

    @Test(arguments: [7, 8] as [UInt64])
    func `the same seed gives the same bytes`(seed: UInt64) throws {
        let (first, second) = (try RandomMeeting(seed: seed), try RandomMeeting(seed: seed))
        try first.run(steps: 400)
        try second.run(steps: 400)
        #expect(first.log == second.log)
        #expect(first.log.count > 250)
        #expect(first.meeting.devices.map(\.traces) == second.meeting.devices.map(\.traces))
        #expect(try first.meeting.devices.map { try $0.journal() } == second.meeting.devices.map { try $0.journal() })
    }

    @Test(arguments: seeds.prefix(20))
    func `R24 what a running engine traced is what the table says`(seed: UInt64) throws {
        let meeting = try RandomMeeting(seed: seed)
        try meeting.run(steps: 300)
        for device in meeting.meeting.devices {
            #expect(device.traces.count > 50)
            for trace in device.traces {
                let expected: RecordPhase? =
                    switch trace.source.transition(on: trace.event) {
                    case .move(let target, _): target
                    case .stay: trace.source
                    case .impossible: nil
                    }
                #expect(trace.target == expected, "\(trace) on \(device.name), seed \(seed)")
            }
        }
    }

    @Test func `I3 a meeting says which device differs from the server`() throws {
        let meeting = try Meeting()
        try meeting.phone.create(["n": 1], pk: "a")
        try meeting.sync(meeting.phone)
        let trouble = try #require(throws: MeetingTrouble.self) { try meeting.expectAgreement(on: "a") }
        #expect(trouble.description == "“a” on tablet is gone, and on the server {\"n\":1} (I3)")
        try meeting.settle()
        try meeting.expectAgreement(on: "a")
    }
}
