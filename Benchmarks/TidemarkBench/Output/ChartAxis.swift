import Foundation

/// The axis of a group of bars. It is as long as its bars need, so no bar is cut off.
struct ChartAxis {
    /// The sentence under the axis.
    let words: String

    /// The value at which each bar begins.
    let origin: Double

    /// The values with a line and a number.
    let ticks: [Double]

    /// The least and the greatest value that has a place, as they are placed.
    private let range: (lower: Double, upper: Double)

    private let isLogarithmic: Bool

    /// An axis of ratios, on which 2 and 0.5 are equally far from 1.
    static func logarithmic(_ words: String, _ values: [Double]) -> ChartAxis {
        let (least, most) = (min(values.min() ?? 1, 0.9), max(values.max() ?? 1, 1.1))
        let steps = (-4...4).flatMap { power in [1, 2, 5].map { $0 * pow(10, Double(power)) } }
        let lower = steps.last { $0 <= least } ?? least
        let upper = steps.first { $0 >= most } ?? most
        return ChartAxis(
            words: words, origin: 1, ticks: steps.filter { (lower...upper).contains($0) },
            range: (log10(lower), log10(upper)), isLogarithmic: true)
    }

    /// An axis of values from zero.
    static func linear(_ words: String, _ values: [Double]) -> ChartAxis {
        let most = max(values.max() ?? 1, .leastNonzeroMagnitude)
        let power = pow(10, log10(most / 5).rounded(.down))
        let step = [1, 2, 5, 10].map { $0 * power }.first { $0 * 6 >= most } ?? most
        let count = Int((most / step).rounded(.up))
        return ChartAxis(
            words: words, origin: 0, ticks: (0...count).map { Double($0) * step }, range: (0, Double(count) * step),
            isLogarithmic: false)
    }

    /// The place of a value as a part of the length of the axis.
    func share(of value: Double) -> Double {
        let place = self.isLogarithmic ? log10(value) : value
        return (place - self.range.lower) / (self.range.upper - self.range.lower)
    }
}
