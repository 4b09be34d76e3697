import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct CrashPointTests {
    private static let crash = TidemarkError(.storeUnavailable, "The power is cut.")

    /// What the phone does, one call at a time; the first that throws is where the power was cut.
    private static let script: [@Sendable (Meeting) throws -> Void] = [
        { try $0.phone.create(["title": "Milk", "n": 1], pk: "42") },
        { try $0.phone.create(["title": "Tea"], pk: "43") },
        { try $0.sync($0.phone) },
        { try $0.sync($0.tablet) },
        { try $0.tablet.edit("42") { $0.title = "Soy milk" } },
        { try $0.tablet.delete("43") },
        { try $0.sync($0.tablet) },
        { try $0.phone.edit("42") { $0.title = "Oat milk" } },
        { try $0.phone.edit("43") { $0.title = "Green tea" } },
        { try $0.phone.create(["title": "New"], pk: "44") },
        { try $0.sync($0.phone) },
        { try $0.phone.delete("44") },
        { try $0.sync($0.phone) },
    ]

    /// How many writes the script takes when nothing goes wrong.
    private static func writes() throws -> Int {
        let meeting = try Meeting()
        for step in Self.script { try step(meeting) }
        return meeting.phone.store.writes
    }

    @Test func `I10 killed at any store write, it recovers, loses nothing and has nothing twice`() throws {
        let count = try Self.writes()
        #expect(count > 20)
        for write in 0..<count {
            let meeting = try Meeting()
            meeting.phone.store.failNextWrite(after: write, with: Self.crash)
            var crashes = 0
            for step in Self.script {
                do {
                    try step(meeting)
                } catch {
                    crashes += 1
                    for ghost in try meeting.phone.restart() { _ = try? meeting.remote.exchangeNow(ghost.request) }
                    // The app tries again what did not succeed, if it still makes sense.
                    try? step(meeting)
                }
            }
            #expect(crashes == 1, "write \(write)")
            try meeting.settle()
            for pk in ["42", "43", "44"] {
                let server = try meeting.onServer(pk)
                #expect(try meeting.phone.view(pk) == server, "write \(write), \(pk)")
                #expect(try meeting.tablet.view(pk) == server, "write \(write), \(pk)")
                let rest: RecordPhase = server == nil ? .absent : .synced
                #expect(try meeting.phone.phase(pk) == rest, "write \(write), \(pk)")
            }
            #expect(try meeting.onServer("42") == ["title": "Oat milk", "n": 1], "write \(write)")
            #expect(try meeting.onServer("43") == ["title": "Green tea"], "write \(write)")
            #expect(try meeting.onServer("44") == nil, "write \(write)")
        }
    }
}
