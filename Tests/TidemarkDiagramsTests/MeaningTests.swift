import Foundation
import Testing
import TidemarkMachine

@testable import TidemarkDiagrams

/// What an event means is written beside its case, for who reads the code, and on the pages, for who reads them.
@Suite struct MeaningTests {
    /// The first sentence above each case of an enumeration, from the sources of the machine.
    private static func sentences(of enumeration: String) throws -> [String: String] {
        let sources = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/TidemarkMachine")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            if let start = text.range(of: "enum \(enumeration):") {
                return self.sentences(in: text[start.lowerBound...])
            }
        }
        return [:]
    }

    private static func sentences(in text: Substring) -> [String: String] {
        var sentences: [String: String] = [:]
        var comment: [Substring] = []
        for line in text.split(separator: "\n") {
            let line = line.drop { $0 == " " }
            if line.hasPrefix("/// ") {
                comment.append(line.dropFirst("/// ".count))
            } else if line.hasPrefix("case ") {
                let sentence = comment.joined(separator: " ").split(separator: ". ").first ?? ""
                sentences[String(line.dropFirst("case ".count))] = sentence + (sentence.hasSuffix(".") ? "" : ".")
                comment = []
            } else if line == "}" {
                break
            } else {
                comment = []
            }
        }
        return sentences
    }

    @Test func `what an event of a record means is the first sentence of its documentation`() throws {
        let sentences = try Self.sentences(of: "RecordEvent")
        #expect(sentences.count == RecordEvent.allCases.count)
        for event in RecordEvent.allCases {
            #expect(sentences[event.rawValue] == event.meaning, "\(event)")
        }
    }

    @Test func `what an event of an exchange means is the first sentence of its documentation`() throws {
        let sentences = try Self.sentences(of: "ExchangeEvent")
        #expect(sentences.count == ExchangeEvent.allCases.count)
        for event in ExchangeEvent.allCases {
            #expect(sentences[event.rawValue] == event.meaning, "\(event)")
        }
    }

    @Test func `what an event of the run loop means is the first sentence of its documentation`() throws {
        let sentences = try Self.sentences(of: "RunEvent")
        #expect(sentences.count == RunEvent.allCases.count)
        for event in RunEvent.allCases {
            #expect(sentences[event.rawValue] == event.meaning, "\(event)")
        }
    }
}
