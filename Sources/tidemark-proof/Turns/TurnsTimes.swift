import TidemarkCore

/// The time in which a process was stopped.
struct TurnsPause {
    let worker: Int
    let began: Int64

    /// Nil while it is stopped.
    var end: Int64?
}

/// The times of all calls.
struct TurnsTimes {
    private let calls: [TurnsCall]
    private let failures: [TurnsCall]
    private let pauses: [TurnsPause]

    init(calls: [TurnsCall], failures: [TurnsCall], pauses: [TurnsPause]) {
        self.calls = calls.filter { $0.ended > 0 }.sorted { $0.ended < $1.ended }
        self.failures = failures
        self.pauses = pauses
    }

    /// How often a call of one process was followed by one of another process: at least so often the store was handed over.
    var changesOfHands: Int { zip(self.calls, self.calls.dropFirst()).count { $0.worker != $1.worker } }

    /// The number of calls that another process kept from the store for too long.
    var busyCount: Int { self.calls.count { $0.end == .failed } + self.failures.count }

    /// Milliseconds of the longest call that is no sync, without the time in which its own process was stopped.
    var longestCall: Int64 { self.calls.lazy.filter { $0.kind != .sync }.map(self.milliseconds).max() ?? 0 }

    /// Milliseconds of the longest sync.
    var longestSync: Int64 { self.calls.lazy.filter { $0.kind == .sync }.map(self.milliseconds).max() ?? 0 }

    private func milliseconds(_ call: TurnsCall) -> Int64 {
        let stopped = self.pauses.reduce(Int64(0)) { sum, pause in
            guard pause.worker == call.worker else { return sum }
            return sum + max(0, min(pause.end ?? call.ended, call.ended) - max(pause.began, call.began))
        }
        return (call.ended - call.began - stopped) / 1_000_000
    }

    /// - Throws: `TurnsFault` for a call that took too long, or failed although no process was stopped.
    func check() throws(TurnsFault) {
        let (limit, slack) = (Self.milliseconds(SyncClient.openingLimit), Self.milliseconds(TurnsWorld.slack))
        for call in self.calls {
            let longest = call.kind == .sync ? 2 * limit + Self.milliseconds(TurnsWorld.syncLimit) : limit
            guard self.milliseconds(call) <= longest + slack else {
                throw TurnsFault(
                    "call \(call.number) of process \(call.worker), \(call.kind), took \(self.milliseconds(call)) ms")
            }
        }
        for call in self.calls.filter({ $0.end == .failed }) + self.failures {
            let began = call.number == 0 ? call.began - limit * 1_000_000 : call.began
            let isExcused = self.pauses.contains { pause in
                pause.worker != call.worker && pause.began <= call.ended
                    && (pause.end ?? .max) + slack * 1_000_000 >= began
            }
            guard isExcused else {
                throw TurnsFault(
                    "call \(call.number) of process \(call.worker), \(call.kind), found the store busy while no other "
                        + "process was stopped")
            }
        }
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
