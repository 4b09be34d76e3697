import Testing
import TidemarkJSON

/// Two inputs, shrunk one at a time.
struct Pair<First: Shrinkable, Second: Shrinkable>: Shrinkable {
    var first: First
    var second: Second

    var smaller: [Pair] {
        self.first.smaller.map { Pair(first: $0, second: self.second) }
            + self.second.smaller.map { Pair(first: self.first, second: $0) }
    }
}

extension Pair: Sendable where First: Sendable, Second: Sendable {}

/// Three inputs, shrunk one at a time.
struct Triple<First: Shrinkable, Second: Shrinkable, Third: Shrinkable>: Shrinkable {
    var first: First
    var second: Second
    var third: Third

    var smaller: [Triple] {
        self.first.smaller.map { Triple(first: $0, second: self.second, third: self.third) }
            + self.second.smaller.map { Triple(first: self.first, second: $0, third: self.third) }
            + self.third.smaller.map { Triple(first: self.first, second: self.second, third: $0) }
    }
}

/// Checks that a law holds for random inputs; on failure names the seed and the smallest input that breaks it.
///
/// The law returns nil if it holds, or the failure. Case `n` of seed `s` is always the same input.
func forAll<Input: Shrinkable>(
    seed: UInt64 = 1, cases: Int = 500, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: (inout RandomJSON) -> Input, holds law: (Input) throws -> String?
) {
    for number in 0..<cases {
        var random = RandomJSON(seed: seed &* 1_000_003 &+ UInt64(number))
        let input = make(&random)
        guard let failure = outcome(law, input) else { continue }
        let (smallest, reason) = shrunk(input, failure, law)
        Issue.record(
            "seed \(seed), case \(number): \(reason)\nsmallest input: \(smallest)", sourceLocation: sourceLocation)
        return
    }
}

private func outcome<Input>(_ law: (Input) throws -> String?, _ input: Input) -> String? {
    do {
        return try law(input)
    } catch {
        return "threw: \(error)"
    }
}

private func shrunk<Input: Shrinkable>(
    _ input: Input, _ failure: String, _ law: (Input) throws -> String?
) -> (Input, String) {
    var smallest = (input, failure)
    // Each step removes or simplifies something, so the loop ends; the bound guards against a mistake in `smaller`.
    shrinking: for _ in 0..<1_000 {
        for candidate in smallest.0.smaller {
            if let failure = outcome(law, candidate) {
                smallest = (candidate, failure)
                continue shrinking
            }
        }
        break
    }
    return smallest
}
