import Foundation

import CSystem

/// Times, in seconds.
enum Stopwatch {
    /// The CPU time of all threads of this process so far.
    static var cpu: Double { self.read(CLOCK_PROCESS_CPUTIME_ID) }

    /// The monotonic time.
    static var wall: Double { self.read(CLOCK_MONOTONIC) }

    /// The CPU time of some work.
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

/// Runs contenders in turn, so that a temporary load of the machine affects all of them.
enum Turns {
    /// Returns the times of each contender in each round. A first round fills caches and does not count.
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

    /// The quotient of the first times and the second times, round by round.
    static func ratios(of other: [Double], to ours: [Double]) -> [Double] {
        zip(other, ours).map { $0 / $1 }
    }
}

/// Uses a value, so that the compiler can't remove its computation.
@inline(never)
func keep<Value>(_ value: Value) {
    withExtendedLifetime(value) {}
}
