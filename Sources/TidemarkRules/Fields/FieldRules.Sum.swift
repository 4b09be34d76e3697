public import TidemarkJSON

extension FieldRules {
    /// The local difference is added to the server's value, exactly: 5→6 on the client and 5→8 on the server make 9.
    ///
    /// Two equal differences are two differences (R12). A missing base counts as zero.
    public struct Sum: FieldRule {
        /// How many digits a sum may have; beyond it the rule does not fit.
        public let digits: Int

        /// Makes the rule.
        public init(digits: Int = JSONNumber.sumDigits) {
            self.digits = digits
        }

        /// Two equal differences are two.
        public var isAdditive: Bool { true }

        /// The sum.
        public func decide(_ field: FieldConflict) -> FieldOutcome {
            guard let base = (field.base ?? 0).number, let server = field.server?.number,
                let client = field.client?.number,
                let difference = client.subtracting(base, digits: self.digits),
                let sum = server.adding(difference, digits: self.digits)
            else { return .client }
            return .value(.number(sum), lost: false)
        }
    }
}

extension FieldRule where Self == FieldRules.Sum {
    /// The local difference is added to the server's value, exactly.
    public static var sum: FieldRules.Sum { FieldRules.Sum() }
}
