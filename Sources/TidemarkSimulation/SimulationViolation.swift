/// A guarantee that a simulation found violated.
public struct SimulationViolation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule of the specification, such as `I2`.
    public let rule: String

    /// The kind of violation, without names of this run. Two violations with the same rule and kind count as the same.
    public let kind: String

    /// The details of this run.
    public let details: String

    package init(_ rule: String, _ kind: String, _ details: String = "") {
        self.rule = rule
        self.kind = kind
        self.details = details
    }

    /// Throws a violation if a condition does not hold.
    package static func unless(
        _ holds: Bool, _ rule: String, _ kind: String, _ details: @autoclosure () -> String = ""
    ) throws(SimulationViolation) {
        guard holds else { throw SimulationViolation(rule, kind, details()) }
    }

    /// The rule, the kind and the details.
    public var description: String {
        self.details.isEmpty ? "\(self.rule): \(self.kind)" : "\(self.rule): \(self.kind): \(self.details)"
    }

    /// Whether two violations have the same rule and kind.
    package func isSame(as other: SimulationViolation) -> Bool {
        self.rule == other.rule && self.kind == other.kind
    }
}
