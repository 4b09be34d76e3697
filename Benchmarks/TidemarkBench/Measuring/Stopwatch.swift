import Foundation

import CSystem

/// Times, in seconds.
enum Stopwatch {
    /// What all threads of this process have used so far.
    static var cpu: Double { self.read(CLOCK_PROCESS_CPUTIME_ID) }

    /// A time that only grows.
    static var wall: Double { self.read(CLOCK_MONOTONIC) }

    /// The time of the processor that the work takes.
    static func cpu(_ work: () throws -> Void) rethrows -> Double {
        let start = self.cpu
        try work()
        return self.cpu - start
    }

    static func cpu(_ work: () async throws -> Void) async rethrows -> Double {
        let start = self.cpu
        try await work()
        return self.cpu - start
    }

    static func wall(_ work: () async throws -> Void) async rethrows -> Double {
        let start = self.wall
        try await work()
        return self.wall - start
    }

    private static func read(_ clock: clockid_t) -> Double {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Contenders in turn, so that what slows the machine down for a while slows all of them.
enum Turns {
    /// What each contender gave in each round; a first round, which fills caches, is thrown away.
    static func take(_ rounds: Int, warmUp: Bool = true, _ contenders: [() async throws -> Double]) async throws
        -> [[Double]]
    {
        var results = [[Double]](repeating: [], count: contenders.count)
        for round in (warmUp ? -1 : 0)..<rounds {
            for (index, contender) in contenders.enumerated() {
                let result = try await contender()
                if round >= 0 { results[index].append(result) }
            }
        }
        return results
    }

    /// How many times the first is in the second, round by round.
    static func ratios(of other: [Double], to ours: [Double]) -> [Double] {
        zip(other, ours).map { $0 / $1 }
    }
}

/// Takes a value, so that the compiler has to make it.
@inline(never)
func keep<Value>(_ value: Value) {
    withExtendedLifetime(value) {}
}
