import Foundation
import TidemarkMachine

/// The meaning of each event of a table: the first sentence of the documentation comment of its case.
///
/// The sentence is read from the sources of the machine, so code and pages share one text.
struct EventMeanings<Event: CaseIterable & RawRepresentable<String> & Sendable>: Sendable {
    private var sentences: [String: String] = [:]

    /// Reads the file of the enumeration, which has its name.
    ///
    /// - Throws: ``EventMeaningsError`` if the file can't be read, or if a case has no sentence.
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
    /// - Throws: ``EventMeaningsError`` unless each case is alone on its line and has a sentence above it.
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
                message: "The case “\(event.rawValue)” has no documentation sentence. "
                    + "Write one above it that ends with a full stop.")
        }
    }

    /// The meaning of an event.
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
    /// The missing part and its place.
    package let message: String
}
