import TidemarkMachine
import Testing
import TidemarkTesting

@Suite struct ExchangeExplorationTests {
    private static let report = Exploration.smallExchanges.run()

    @Test func `exchange worlds: no reachable state breaks a promise (I1 to I6, I8, I9)`() {
        let report = Self.report
        let worlds = report.worlds.map { "    \($0.name): \($0.states) states, \($0.steps) steps, \($0.time)" }
        print("explored exchanges in \(report.time):\n\(worlds.joined(separator: "\n"))")
        #expect(report.violation == nil, "\(report.trace.joined(separator: "\n"))")
        #expect(report.states > 5_000)
    }

    @Test func `I7 every row of the exchange's table is taken, or named with its reason`() {
        let unnamed = Self.report.exchangeNever.filter { Exploration.reason(for: $0) == nil }
        #expect(unnamed.isEmpty, "never taken: \(unnamed)")
    }

    @Test func `a row of the exchange that is named as never taken is never taken`() {
        let named = Self.report.exchangeTaken.filter { Exploration.reason(for: $0) != nil }
        #expect(named.isEmpty, "taken after all: \(named)")
    }

    @Test(arguments: ExchangeWorld.Setting.ServerFault.allCases)
    func `a server that breaks a rule of the wire is found out`(fault: ExchangeWorld.Setting.ServerFault) {
        var exploration = Exploration.smallExchanges
        exploration.exchanges = exploration.exchanges.map { setting in
            var faulty = setting
            faulty.serverFault = fault
            return faulty
        }
        let report = exploration.run()
        #expect(report.violation != nil, "\(fault) was not found in \(report.states) states")
    }
}
