public import TidemarkJSON

extension FieldRules {
    /// Text, merged three-way by line, then by word.
    ///
    /// What only one side rewrote is taken from it, and lines or words that both inserted at one place are kept, the
    /// server's first. Where both rewrote the same words the client's stand, and the field is listed as a clash. Where the
    /// base has nothing, the empty text stands in for it.
    public struct Text: FieldRule {
        /// How many lines, and in one stretch words, a side may have inserted and removed, unless the app says otherwise.
        public static let defaultEdits = 2_000

        /// How many lines, and in one stretch words, a side may have inserted and removed; beyond it the rule does not fit.
        public let edits: Int

        /// Makes the rule.
        public init(edits: Int = Text.defaultEdits) {
            self.edits = edits
        }

        /// What is rewritten is rewritten in what is there.
        public var buildsUpon: Bool { true }

        /// The merged text.
        public func decide(_ field: FieldConflict) -> FieldOutcome {
            guard let base = (field.base ?? "").string, let server = field.server?.string,
                let client = field.client?.string, let merge = TextMerge(base, server, client, edits: self.edits)
            else { return .client }
            let merged = JSON.string(JSONString(merge.text))
            guard merge.hasClash else { return .value(merged, lost: false) }
            let clash = JSONMerge.Clash(
                path: field.path, base: field.base, server: field.server, client: field.client, winner: .client)
            return .merged(merged, clashes: [clash])
        }
    }
}

extension FieldRule where Self == FieldRules.Text {
    /// Text, merged three-way by line, then by word; the client's words stand where both rewrote the same ones.
    public static var text: FieldRules.Text { FieldRules.Text() }
}
