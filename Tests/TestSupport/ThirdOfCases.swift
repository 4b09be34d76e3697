import Foundation

/// A fixed third of the cases of a long test. With `TEST_EACH=1` in the environment, as in `make proof`, it is all of them.
package enum ThirdOfCases {
    /// Whether each case is tested.
    package static let isWhole = ProcessInfo.processInfo.environment["TEST_EACH"] == "1"

    /// Returns each third number from 1 to `last`. The thirds of three successive turns are all numbers.
    package static func numbers(to last: Int64, turn: Int) -> [Int64] {
        guard last > 0 else { return [] }
        return (1...last).filter { Self.isWhole || ($0 + Int64(turn)).isMultiple(of: 3) }
    }
}
