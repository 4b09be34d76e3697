public import TidemarkJSON

extension FieldRules {
    /// Arrays as sets: what a side added is in, what a side removed is out.
    ///
    /// The server's order stands, with what the client added at the end; equal elements are one. Where the base has
    /// nothing, the empty array stands in for it.
    public struct Union: FieldRule {
        /// Makes the rule.
        public init() {}

        /// What is added is added to what is there.
        public var buildsUpon: Bool { true }

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
    /// Arrays as sets: what a side added is in, what a side removed is out.
    public static var union: FieldRules.Union { FieldRules.Union() }
}
