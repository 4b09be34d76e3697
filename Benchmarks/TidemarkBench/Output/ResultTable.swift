import Foundation

/// The results as a table, one row for each.
struct ResultTable {
    private static let widths = [20, 10, 11, 22, 7]

    static var head: String {
        self.row(["name", "value", "unit", "min … max", "ratio"], "against")
    }

    static func row(_ benchmark: Benchmark, _ result: Result<Measurement, Unavailable>) -> String {
        switch result {
        case .failure(let reason):
            return self.row([benchmark.name, "–", benchmark.unit, "", ""], "not measured: \(reason)")
        case .success(let measurement):
            let spread = measurement.values
            let range = spread.count > 1 ? "\(Figures.text(spread.least)) … \(Figures.text(spread.most))" : ""
            let ratio = measurement.ratio.map { Figures.text($0) } ?? ""
            let first = self.row(
                [benchmark.name, Figures.text(spread.median), benchmark.unit, range, ratio],
                self.words(benchmark, measurement))
            let more = measurement.others.map { self.row(["", "", "", "", Figures.text($0.ratio)], $0.against) }
            return ([first] + more).joined(separator: "\n")
        }
    }

    private static func words(_ benchmark: Benchmark, _ measurement: Measurement) -> String {
        let against = benchmark.against ?? ""
        let details = measurement.details.map { "\($0.name) \(Figures.text($0.value))" } + measurement.lacks
        return against + (details.isEmpty ? "" : "\(against.isEmpty ? "" : " ")(\(details.joined(separator: ", ")))")
    }

    private static func row(_ cells: [String], _ last: String) -> String {
        let padded = zip(cells, self.widths).map { cell, width in
            cell + String(repeating: " ", count: max(0, width - cell.count))
        }
        return (padded + [last]).joined(separator: "  ")
    }
}
