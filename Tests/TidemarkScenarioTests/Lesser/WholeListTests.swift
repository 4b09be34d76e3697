import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Each answer of this server begins a full resync: it has the whole list.
@Suite struct `A server without a feed (Contract §12)` {
    private static let quirks = LesserServer.Quirks(listsEverything: true)

    /// With small pages the list of each answer to a POST ends only after several requests.
    @Test(arguments: [3, 1_000])
    func `ten POSTs in one sync are ten full resyncs, and all of them end (I8)`(pageSize: Int) throws {
        var configuration = SyncConfiguration()
        configuration.limits.batchSize = 2
        configuration.limits.pageSize = pageSize
        let scenario = try LesserScenario(Self.quirks, configuration: configuration)
        let pks = (10...29).map { "\($0)" }
        for pk in pks { try scenario.phone.create(["n": 1], pk: pk) }
        try scenario.settle()
        for pk in pks { try scenario.phone.edit(pk) { $0.n = 2 } }
        try scenario.phone.sync(SyncScenario.collection)
        var posts = 0
        var requests = 0
        while let sent = scenario.phone.outbox.first {
            requests += 1
            try #require(requests < 200, "the device sends requests without end")
            posts += sent.request.uploads.isEmpty ? 0 : 1
            try scenario.carryOne(scenario.phone)
        }
        #expect(posts == 10)
        let report = try #require(scenario.phone.reports.last)
        #expect(report.outcome == .inSync)
        #expect(report.pushed.sorted() == pks)
        try scenario.settle()
        for pk in pks { #expect(try scenario.tablet.view(pk) == ["n": 2]) }
    }

    @Test func `one lost history among ten POSTs is reported as that, and not as alternating servers (I8)`() throws {
        var configuration = SyncConfiguration()
        configuration.limits.batchSize = 1
        let scenario = try LesserScenario(Self.quirks, configuration: configuration)
        let pks = (10...19).map { "\($0)" }
        for pk in pks { try scenario.phone.create(["n": 1], pk: pk) }
        try scenario.phone.sync(SyncScenario.collection)
        for _ in 1...7 { try scenario.carryOne(scenario.phone) }
        try scenario.phone.failNext(RemoteFailure(.historyLost, "410"))
        try scenario.carry(scenario.phone)
        #expect(scenario.phone.reports.last?.outcome == .inSync)
        #expect(scenario.phone.reports.last?.failure == nil)
        try scenario.settle()
        for pk in pks { #expect(try scenario.tablet.view(pk) == ["n": 1]) }
    }
}
