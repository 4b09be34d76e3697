import Foundation
import Testing

/// A running `tidemark serve`.
final class ToolServer {
    let tool: RunningTool
    let url: String

    /// Waits until it listens.
    ///
    /// - Parameter hasLog: Whether it writes an access log, and so its address on standard error.
    init(_ tool: RunningTool, hasLog: Bool = false) throws {
        self.tool = tool
        let line = hasLog ? tool.line(ofErrors: true) { $0.hasPrefix("listening on ") } : tool.firstLine()
        guard let line, line.hasPrefix("listening on ") else {
            throw ServerDidNotStart(line: line, errors: try tool.stop().errors)
        }
        self.url = String(line.dropFirst("listening on ".count))
    }

    /// `127.0.0.1:PORT`, to listen there again.
    var address: String { String(self.url.dropFirst("http://".count).dropLast("/v1".count)) }
}

struct ServerDidNotStart: Error {
    var line: String?
    var errors: String
}
