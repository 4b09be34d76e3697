import Tidemark

/// A result, read from its line.
struct MeasuredLine {
    let name: String
    let value: Double
    let unit: String
    let least: Double
    let most: Double
    let clock: String

    /// The comparisons and their ratios.
    let comparisons: [(against: String, ratio: Double)]

    /// Additional numbers, by their names.
    let details: [String: Double]

    /// Reads a line; nil if it has no value.
    init?(_ line: JSON) {
        guard let name = line.name?.string, let unit = line.unit?.string, let value = line["value"]?.double,
            let least = line["min"]?.double, let most = line["max"]?.double, let clock = line.clock?.string
        else { return nil }
        self.name = name
        self.unit = unit
        self.value = value
        self.least = least
        self.most = most
        self.clock = clock
        let details = line.details?.object.map { $0.compactMap { name, value in value.double.map { (name, $0) } } }
        self.details = Dictionary(details ?? [], uniquingKeysWith: { first, _ in first })
        let all = [line] + (line.also?.array ?? [])
        self.comparisons = all.compactMap { entry -> (against: String, ratio: Double)? in
            guard let against = entry.against?.string, let ratio = entry.ratio?.double else { return nil }
            return (against, ratio)
        }
    }

    static func all(in text: [UInt8]) throws -> [MeasuredLine] {
        try text.split(separator: UInt8(ascii: "\n")).compactMap { MeasuredLine(try JSON(parsing: $0)) }
    }
}
