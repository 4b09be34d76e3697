import TidemarkCore
import Testing
import TidemarkJSON
import TidemarkTesting

/// A sequence and its random changes on two sides; it shrinks by removing elements.
struct Fork: CustomStringConvertible {
    var base: [Int]
    var server: [Int]
    var client: [Int]

    var description: String { "base \(self.base), server \(self.server), client \(self.client)" }

    var swapped: Fork { Fork(base: self.base, server: self.client, client: self.server) }

    var smaller: [Fork] {
        Set(self.base + self.server + self.client).sorted().map { number in
            Fork(
                base: self.base.filter { $0 != number }, server: self.server.filter { $0 != number },
                client: self.client.filter { $0 != number })
        }
    }

    /// Both sides remove and insert anywhere. Each side inserts other numbers.
    static func anywhere(_ generator: inout SeededGenerator) -> Fork {
        let base = Array(0..<Int.random(in: 0...8, using: &generator))
        return Fork(
            base: base, server: Self.edited(base, from: 100, &generator),
            client: Self.edited(base, from: 200, &generator))
    }

    /// The server edits before the middle and the client after it, or the reverse.
    static func apart(_ generator: inout SeededGenerator) -> Fork {
        let (left, right) = ([0, 1, 2], [4, 5, 6])
        let (early, late) = (Self.edited(left, from: 100, &generator), Self.edited(right, from: 200, &generator))
        let fork = Fork(base: left + [3] + right, server: early + [3] + right, client: left + [3] + late)
        return Bool.random(using: &generator) ? fork : fork.swapped
    }

    private static func edited(_ base: [Int], from first: Int, _ generator: inout SeededGenerator) -> [Int] {
        var result = base
        for number in first..<(first + Int.random(in: 0...3, using: &generator)) {
            result.insert(number, at: Int.random(in: 0...result.count, using: &generator))
        }
        for _ in 0..<Int.random(in: 0...2, using: &generator) where !result.isEmpty {
            result.remove(at: Int.random(in: 0..<result.count, using: &generator))
        }
        return result
    }

    /// Checks a law for many forks; on failure names the seed and the smallest fork that breaks it.
    static func all(
        _ make: (inout SeededGenerator) -> Fork, sourceLocation: SourceLocation = #_sourceLocation,
        hold law: (Fork) throws -> Bool
    ) throws {
        for seed in UInt64(1)...300 {
            var generator = SeededGenerator(seed: seed)
            var fork = make(&generator)
            guard try !law(fork) else { continue }
            while let smaller = try fork.smaller.first(where: { try !law($0) }) { fork = smaller }
            Issue.record("seed \(seed), smallest: \(fork)", sourceLocation: sourceLocation)
            return
        }
    }
}

extension JSON {
    /// An array of numbers.
    static func numbers(_ numbers: [Int]) -> JSON { .array(numbers.map { .number(JSONNumber($0)) }) }
}
