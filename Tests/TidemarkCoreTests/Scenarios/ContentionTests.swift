import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

/// Two devices change other fields of one record, again and again.
@Suite struct ContentionTests {
    @Test func `disjoint-writers-contend (SPEC 3.3): contention alone backs off, and never holds a record`() throws {
        let meeting = try Meeting()
        let (phone, tablet) = (meeting.phone, meeting.tablet)
        try phone.create(["title": "Milk", "count": 0], pk: "42")
        try meeting.settle()
        try phone.edit("42") { $0.title = "Oat milk" }
        var count = 0
        for _ in 0..<4 {
            try phone.sync(Meeting.collection)
            while let next = phone.outbox.first {
                try #require(count < 200, "it does not stop (I8)")
                if !next.request.uploads.isEmpty {
                    count += 1
                    try tablet.edit("42") { $0.count = .number(JSONNumber(count)) }
                    try meeting.sync(tablet)
                }
                try meeting.carryOne(phone)
            }
            #expect(try phone.phase("42") == .edited(.idle))
            #expect(phone.reports.last?.held == [])
        }
        #expect(count == 4 * 5, "five tries in each sync, and then it waits")
        let waits = try #require(phone.wakes[Meeting.collection])
        #expect(waits > meeting.server.clock.now)
        #expect(phone.reports.last?.failure?.message.contains("Other devices were faster") == true)
        try meeting.settle()
        #expect(try meeting.onServer("42")?.title == "Oat milk")
        try meeting.expectAgreement("42")
    }
}
