/// A promise that was not kept in a simulation.
public struct SimulationViolation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule of the specification, such as `I2`.
    public let rule: String

    /// What is wrong, without the names of this run: two violations with the same rule and kind are of one sort.
    public let kind: String

    /// What is wrong, and where.
    public let details: String

    package init(_ rule: String, _ kind: String, _ details: String = "") {
        self.rule = rule
        self.kind = kind
        self.details = details
    }

    /// The rule, and what is wrong.
    public var description: String {
        self.details.isEmpty ? "\(self.rule): \(self.kind)" : "\(self.rule): \(self.kind): \(self.details)"
    }

    /// Whether both say the same of two runs.
    func isSame(as other: SimulationViolation) -> Bool {
        self.rule == other.rule && self.kind == other.kind
    }
}
