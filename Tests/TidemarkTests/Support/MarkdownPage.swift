import Foundation

/// A page of Markdown, with the parts that the tests check.
struct MarkdownPage {
    private let lines: [Substring]

    init(_ text: String) {
        self.lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The texts of the fenced blocks of one language, in their order.
    func blocks(_ language: String) -> [String] {
        var blocks: [String] = []
        var open: [Substring]?
        var isWanted = false
        for line in self.lines {
            if let block = open {
                guard line == "```" else {
                    open = block + [line]
                    continue
                }
                if isWanted { blocks.append(block.map { $0 + "\n" }.joined()) }
                open = nil
            } else if line.hasPrefix("```") {
                isWanted = line == "```\(language)"
                open = []
            }
        }
        return blocks
    }
}
