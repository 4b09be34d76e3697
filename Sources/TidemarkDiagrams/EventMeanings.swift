import Foundation
import TidemarkMachine

/// What each event of a table means, in one sentence: the first one of the documentation of its case.
///
/// It is read from the sources of the machine, so it is written once, for readers of the code and of the pages.
struct EventMeanings<Event: CaseIterable & RawRepresentable<String> & Sendable>: Sendable {
    private var sentences: [String: String] = [:]

    /// Reads the file of the enumeration, which has its name.
    ///
    /// - Throws: ``EventMeaningsError`` when there is no such file, or with that of its text.
    init(inFolder folder: URL) throws(EventMeaningsError) {
        let file = folder.appending(path: "\(Event.self).swift")
        guard let source = try? String(contentsOf: file, encoding: .utf8) else {
            throw EventMeaningsError(
                message: "\(file.relativePath): It can't be read. Diagrams are drawn in the root of the repository.")
        }
        do {
            try self.init(source: source)
        } catch {
            throw EventMeaningsError(message: "\(file.relativePath): \(error.message)")
        }
    }

    /// Reads the text of that file.
    ///
    /// - Throws: ``EventMeaningsError`` unless each case has a line of its own and a sentence above it.
    init(source: String) throws(EventMeaningsError) {
        // own text: the sources of the machine, here and below
        let body = source.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.drop { $0 == " " } }
            .drop { !$0.contains("enum \(Event.self):") }  // own text
            .prefix { $0 != "}" }
        guard !body.isEmpty else { throw EventMeaningsError(message: "There is no “enum \(Event.self)”.") }
        var comment: [Substring] = []
        for line in body {
            if line.hasPrefix("///") {  // own text
                comment.append(line.dropFirst("///".count).drop { $0 == " " })
            } else {
                if line.hasPrefix("case ") {  // own text
                    self.sentences[String(line.dropFirst("case ".count))] = Self.firstSentence(of: comment)
                }
                comment = []
            }
        }
        for event in Event.allCases where self.sentences[event.rawValue] == nil {
            throw EventMeaningsError(
                message: "The case “\(event.rawValue)” has no sentence of its own. "
                    + "Write above it what happened, with a full stop.")
        }
    }

    /// What an event means.
    subscript(_ event: Event) -> String {
        guard let sentence = self.sentences[event.rawValue] else { preconditionFailure("\(event) was not read") }
        return sentence
    }

    /// The first sentence of a comment; nil when its first paragraph has no full stop.
    private static func firstSentence(of comment: [Substring]) -> String? {
        let paragraph = comment.prefix { !$0.isEmpty }.joined(separator: " ") + " "
        guard let end = paragraph.firstRange(of: ". ") else { return nil }  // own text
        return "\(paragraph[..<end.lowerBound])."
    }
}

/// Why the meanings of the events can't be read.
package struct EventMeaningsError: Error, Hashable {
    /// What is missing, and where.
    package let message: String
}
