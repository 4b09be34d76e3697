import Foundation
import Testing
import TidemarkListener
import TidemarkTesting

@Suite struct `The README's shell lines` {
    @Test func `work when they are typed`() throws {
        let page = MarkdownPage(try Checkout.text(of: "README.md"))
        let lines = try #require(page.blocks("sh").first { $0.contains("tidemark serve") })
        let folder = try TemporaryFolder()
        try folder.write(try self.script(lines), to: "script")
        let run = try ProgramRun(
            URL(fileURLWithPath: "/bin/bash"), ["script"], in: folder.url,
            path: try Checkout.product("tidemark").deletingLastPathComponent())
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("2 says that a conflict waits: 2"), "\(run.output)")
        #expect(run.output.contains("\"Oat milk\""), "\(run.output)")
        #expect(run.output.contains("1.10"), "\(run.output)")
    }

    /// The lines as they are, but for the port, the tool's folder, and that a script types faster than a server starts.
    private func script(_ lines: String) throws -> String {
        let port = try self.freePort()
        let isListening = "until (exec 3<>/dev/tcp/127.0.0.1/\(port)) 2>/dev/null; do kill -0 $!; done"
        let typed = lines.split(separator: "\n").map { line in
            if line.hasPrefix("PATH=") || line.hasPrefix("cd ") { return "" }
            return line.hasPrefix("tidemark serve") ? "\(line)\n\(isListening)" : String(line)
        }
        let begin = "set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"
        return (begin + typed.joined(separator: "\n") + "\n").replacing("8080", with: "\(port)")
    }

    private func freePort() throws -> UInt16 {
        let listener = try HTTPListener(try InProcessServer().core)
        listener.stop()
        return listener.port
    }
}
