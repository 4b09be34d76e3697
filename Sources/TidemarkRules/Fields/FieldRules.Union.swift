public import TidemarkJSON

extension FieldRules {
    /// Arrays as sets: elements that a side added are in, elements that a side removed are out.
    ///
    /// The server's order is kept, with the client's additions at the end; equal elements are kept once. A missing base counts
    /// as the empty array.
    public struct Union: FieldRule {
        /// Makes the rule.
        public init() {}

        /// An addition is applied on top of the server's array.
        public var isIncremental: Bool { true }

        /// The union.
        public func decide(_ field: FieldConflict) -> FieldOutcome {
            guard let base = (field.base ?? []).array, let server = field.server?.array,
                let client = field.client?.array
            else { return .client }
            let (before, kept) = (Set(base), Set(client))
            var seen: Set<JSON> = []
            let theirs = server.filter { kept.contains($0) || !before.contains($0) }
            let ours = client.filter { !before.contains($0) }
            return .value(.array((theirs + ours).filter { seen.insert($0).inserted }), lost: false)
        }
    }
}

extension FieldRule where Self == FieldRules.Union {
    /// Arrays as sets: elements that a side added are in, elements that a side removed are out.
    public static var union: FieldRules.Union { FieldRules.Union() }
}
