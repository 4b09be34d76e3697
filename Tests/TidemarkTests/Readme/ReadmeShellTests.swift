import Foundation
import TestSupport
import Testing
import TidemarkListener
import TidemarkTesting

@Suite struct `Shell lines of the documentation` {
    @Test func `the shell lines of the README work`() throws {
        let run = try self.type("README.md")
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("exit code 2: 2 means that a conflict waits"), "\(run.output)")
        #expect(run.output.contains("\"Oat milk\""), "\(run.output)")
        #expect(run.output.contains("1.10"), "\(run.output)")
    }

    /// `curl` alone shows a page for monitoring, metrics and a hint (Contract §10, §11).
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "curl is not installed here"))
    func `the shell lines of the article for operators work`() throws {
        let run = try self.type("Sources/Tidemark/Tidemark.docc/Operating.md")
        #expect(run.status == 0, "\(run.output)")
        for word in ["alive", "tidemark_requests_total", "event: changed", #""collection":"notes""#, "ada"] {
            #expect(run.output.contains(word), "\(word) is not in \(run.output)")
        }
    }

    private func type(_ page: String) throws -> ProgramRun {
        let page = MarkdownPage(try Checkout.text(of: page))
        let lines = try #require(page.blocks("sh").first { $0.contains("tidemark serve") })
        let folder = try TemporaryFolder()
        try folder.write(try self.script(lines), to: "script")
        return try ProgramRun(
            URL(fileURLWithPath: "/bin/bash"), ["script"], in: folder.url,
            path: try Checkout.product("tidemark").deletingLastPathComponent())
    }

    /// The lines with a few changes: another port, no folder of the tool, a wait until the server listens, the status 28 with
    /// which `curl -m` ends a stream of events, and a longer limit for the first event on a busy machine.
    private func script(_ lines: String) throws -> String {
        let port = try self.freePort()
        let isListening = "until (exec 3<>/dev/tcp/127.0.0.1/\(port)) 2>/dev/null; do kill -0 $!; done"
        let typed = lines.split(separator: "\n").map { line in
            if line.hasPrefix("PATH=") || line.hasPrefix("cd ") { return "" }
            if line.hasPrefix("curl -N") {
                let longer = line.replacing("-m 2 ", with: "-m $patience ")
                return """
                    for patience in 2 8 32; do
                        events=$(\(longer)) || test $? = 28
                        if [ -n "$events" ]; then break; fi
                    done
                    echo "$events"
                    """
            }
            return line.hasPrefix("tidemark serve") ? "\(line)\n\(isListening)" : String(line)
        }
        let begin = "set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"
        return (begin + typed.joined(separator: "\n") + "\n").replacing("8080", with: "\(port)")
    }

    /// A port outside of the range from which the system assigns ports: no other process, such as another test, gets it between
    /// this check and the server's start.
    private func freePort() throws -> UInt16 {
        let core = try InProcessServer().core
        for port in (20_000..<30_000).map({ UInt16($0) }).shuffled() {
            guard let listener = try? HTTPListener(core, settings: ListenerSettings(port: port)) else { continue }
            listener.stop()
            return port
        }
        throw ListenerError(.failed, "no port is free")
    }
}
