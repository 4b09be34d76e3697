import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

/// Two devices change different fields of the same record, again and again.
@Suite struct ContentionTests {
    @Test func `disjoint-writers-contend (Contract §3.3): contention backs off, and holds no record`() throws {
        let scenario = try SyncScenario()
        let (phone, tablet) = (scenario.phone, scenario.tablet)
        try phone.create(["title": "Milk", "count": 0], pk: "42")
        try scenario.settle()
        try phone.edit("42") { $0.title = "Oat milk" }
        var count = 0
        for _ in 0..<4 {
            try phone.sync(SyncScenario.collection)
            while let next = phone.outbox.first {
                try #require(count < 200, "the device does not stop sending (I8)")
                if !next.request.uploads.isEmpty {
                    count += 1
                    try tablet.edit("42") { $0.count = .number(JSONNumber(count)) }
                    try scenario.sync(tablet)
                }
                try scenario.carryOne(phone)
            }
            #expect(try phone.phase("42") == .edited(.idle))
            #expect(phone.reports.last?.held == [])
        }
        #expect(count == 4 * 5, "five tries in each sync, and then it waits")
        let waits = try #require(phone.wakes[SyncScenario.collection])
        #expect(waits > scenario.server.clock.now)
        #expect(phone.reports.last?.failure?.message.contains("Other devices were faster") == true)
        try scenario.settle()
        #expect(try scenario.onServer("42")?.title == "Oat milk")
        try scenario.expectAgreement("42")
    }
}
