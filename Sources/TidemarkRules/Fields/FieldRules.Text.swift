public import TidemarkJSON

extension FieldRules {
    /// Text, merged three-way by line, then by word.
    ///
    /// A change of one side is applied, and if both insert lines or words at the same place, both are kept, the server's
    /// first. In scripts without blanks between words (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar and others) each
    /// character counts as a word. If both changed the same words, the client's words win, and the field is listed as a clash. A missing base
    /// counts as the empty text.
    public struct Text: FieldRule {
        /// How many lines, and in one stretch words, a side may have inserted and removed, by default.
        public static let defaultEdits = 2_000

        /// How many lines, and in one stretch words, a side may have inserted and removed; beyond it the rule does not fit.
        public let edits: Int

        /// Makes the rule.
        public init(edits: Int = Text.defaultEdits) {
            self.edits = edits
        }

        /// A change is applied on top of the server's text.
        public var isIncremental: Bool { true }

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
    /// Text, merged three-way by line, then by word; if both sides changed the same words, the client's words win.
    public static var text: FieldRules.Text { FieldRules.Text() }
}
