import Testing
import TidemarkTesting

@Suite struct TwoDevicesExplorationTests {
    @Test func `a server that ignores versions loses what one of two devices typed, and is found out (I1, W1)`() {
        var explorer = Explorer<TwoDevices>(limit: 1_000_000)
        let devices = TwoDevices(startsInStep: true, inputs: [1, 1], faults: 0, ignoresVersions: true)
        let found = explorer.explore(from: devices) { _ in }
        #expect(found.violation?.hasPrefix("I1") == true)
        #expect(found.trace.count > 4)
    }

    @Test func `the small exploration lets two devices meet, with and without a record and a fault`() {
        #expect(Exploration.small.pairs.count == 4)
        #expect(Exploration.large.pairs.count == 4)
    }
}
