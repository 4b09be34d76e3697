import Testing

/// The seeds of each law's test.
let seeds: ClosedRange<UInt64> = 1...8

/// Checks that `holds` is true for random inputs; on failure names the seed and the smallest input that breaks it.
func law<Input: Shrinkable>(
    seed: UInt64, sourceLocation: SourceLocation = #_sourceLocation, _ draw: (inout RandomJSON) -> Input,
    holds: (Input) throws -> Bool
) {
    forAll(seed: seed, cases: 150, sourceLocation: sourceLocation, draw) { input in
        try holds(input) ? nil : "the law does not hold"
    }
}
