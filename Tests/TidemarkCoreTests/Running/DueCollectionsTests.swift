import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import Testing

/// More collections are due than may sync at the same time (Contract §10).
@Suite struct DueCollectionsTests {
    private static let names = ["a", "b", "c", "d", "e"].map { CodePointString($0) }
    private var now = Duration.seconds(1_000_000)
    private var loop = RunLoop(RunPlan(), seed: 1)
    private var isSyncing: Set<CodePointString> = []

    init() throws {
        self.isSyncing = Set(self.loop.begin(Self.names.map(\.value), syncing: [], now: self.now).syncs)
        _ = try self.take()
    }

    /// Passes inputs to the loop, and each timer whose time has come. After that no timer is in the past: it would fire without
    /// an end.
    ///
    /// - Returns: The collections whose sync starts.
    private mutating func take(_ inputs: RunInput...) throws -> [CodePointString] {
        var syncs = self.loop.take(inputs, now: self.now) { _ in nil }.syncs
        for _ in 1...10 {
            guard let alarm = self.loop.alarm, alarm <= self.now else { break }
            syncs += self.loop.take([.alarm(alarm)], now: self.now) { _ in nil }.syncs
        }
        if let alarm = self.loop.alarm { #expect(alarm > self.now) }
        self.isSyncing.formUnion(syncs)
        #expect(self.isSyncing.count <= 4)
        return syncs
    }

    private mutating func end(_ name: CodePointString) throws -> [CodePointString] {
        self.isSyncing.remove(name)
        return try self.take(.ended(name, .done(hasNews: true, hasUnsent: false)), .returned(name))
    }

    @Test mutating func `a fifth collection waits for a place without a timer, and is due`() throws {
        #expect(self.isSyncing == Set(Self.names.prefix(4)))
        #expect(self.loop.status.collections.map(\.phase) == [.syncing, .syncing, .syncing, .syncing, .due])
        for _ in 1...3 {
            self.now += .seconds(3_600)
            #expect(try self.take().isEmpty)
        }
        #expect(try self.end(Self.names[2]) == [Self.names[4]])
        #expect(self.loop.status.collections.map(\.phase)[4] == .syncing)
    }

    @Test mutating func `a place is free only after the task of the former sync has returned`() throws {
        let name = Self.names[1]
        self.isSyncing.remove(name)
        #expect(try self.take(.ended(name, .done(hasNews: true, hasUnsent: false))).isEmpty)
        #expect(try self.take(.returned(name)) == [Self.names[4]])
    }

    @Test mutating func `collections that are due again wait behind the one that waits longer`() throws {
        let (first, last) = (Self.names[0], Self.names[4])
        #expect(try self.end(first) == [last])
        // All four places are taken; edits make two collections due again, not in the order of their names.
        let second = Self.names[1]
        self.isSyncing.remove(second)
        #expect(try self.take(.ended(second, .done(hasNews: true, hasUnsent: false))).isEmpty)
        for name in [second, first] {
            #expect(try self.take(.edited(name, first: self.now, last: self.now)).isEmpty)
            self.now += .seconds(1)
            #expect(try self.take().isEmpty, "the task of the second one has not returned, and there is no place")
        }
        #expect(try self.end(Self.names[2]) == [first], "a place without a returned task is not given away")
        #expect(try self.take(.returned(second)) == [second])
    }
}
