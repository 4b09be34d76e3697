import Tidemark

/// A result as one JSON object on one line.
struct ResultLine {
    let benchmark: Benchmark
    let result: Result<Measurement, Unavailable>

    var text: String {
        var line: JSON = ["name": .string(JSONString(self.benchmark.name)), "value": .null]
        line.unit = .string(JSONString(self.benchmark.unit))
        line.ratio = .null
        line.against = self.benchmark.against.map { .string(JSONString($0)) } ?? .null
        line.better = .string(JSONString(self.benchmark.better.rawValue))
        switch self.result {
        case .success(let measurement): Self.add(measurement, to: &line)
        case .failure(let reason): line.unavailable = .string(JSONString(reason.description))
        }
        return line.text
    }

    private static func add(_ measurement: Measurement, to line: inout JSON) {
        line["value"] = self.number(measurement.values.median)
        line.ratio = measurement.ratio.map { self.number($0) } ?? .null
        line.min = self.number(measurement.values.least)
        line.median = self.number(measurement.values.median)
        line.max = self.number(measurement.values.most)
        line.rounds = .number(JSONNumber(measurement.values.count))
        line.clock = .string(JSONString(measurement.clock.rawValue))
        if !measurement.others.isEmpty {
            line.also = .array(
                measurement.others.map {
                    ["against": .string(JSONString($0.against)), "ratio": self.number($0.ratio)]
                })
        }
        if !measurement.details.isEmpty {
            line.details = .object(JSONObject(measurement.details.map { ($0.name, self.number($0.value)) }))
        }
        if !measurement.lacks.isEmpty {
            line.lacks = .array(measurement.lacks.map { .string(JSONString($0)) })
        }
    }

    /// A number with four significant digits; more would be noise.
    private static func number(_ value: Double) -> JSON {
        (try? JSON(parsing: Figures.text(value))) ?? .null
    }
}
