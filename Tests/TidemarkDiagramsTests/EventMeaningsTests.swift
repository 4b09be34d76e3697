import Testing

@testable import TidemarkDiagrams

@Suite struct EventMeaningsTests {
    private enum Signal: String, CaseIterable, Sendable {
        case rose, fell
    }

    @Test func `a meaning is the first sentence above a case, on one line`() throws {
        let meanings = try EventMeanings<Signal>(
            source: """
                /// A signal of something else. case fell
                enum Other: String {
                    /// Not read.
                    case rose
                }

                /// A signal. It has two kinds.
                private enum Signal: String, CaseIterable {
                    // MARK: Up

                    /// The level rose, as it does
                    /// at noon (§3.5). It may fall again.
                    case rose

                    /// The level fell.
                    ///
                    /// It may rise again.
                    case fell
                }
                """)
        #expect(meanings[.rose] == "The level rose, as it does at noon (§3.5).")
        #expect(meanings[.fell] == "The level fell.")
    }

    @Test(arguments: [
        "case fell",
        "/// The level fell\n    case fell",
        "/// The level fell\n    ///\n    /// It may rise again.\n    case fell",
        "/// The level fell.\n\n    case fell",
        "/// The level fell.\n    case fell, sank",
        "/// The level fell.",
    ])
    func `a case without a documentation sentence is refused by its name`(text: String) {
        let message = "The case “fell” has no documentation sentence. Write one above it that ends with a full stop."
        #expect(throws: EventMeaningsError(message: message)) {
            try EventMeanings<Signal>(
                source: "enum Signal: String {\n    /// The level rose.\n    case rose\n\n    \(text)\n}\n")
        }
    }

    @Test func `a source without the enumeration is refused`() {
        #expect(throws: EventMeaningsError(message: "There is no “enum Signal”.")) {
            try EventMeanings<Signal>(source: "/// A signal.\nstruct Signal {}\n")
        }
    }
}
