import Foundation
import Testing
import TidemarkGzip
import TidemarkListener
import TidemarkServer

#if os(Linux)
    @Suite("The memory of a server (W10)", .timeLimit(.minutes(10)))
    struct BombTests {
        /// The peak memory of this process, in KiB.
        private static func peak() throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
        }

        @Test func `a gzip bomb of gigabytes is 413, and needs the memory of one full body (L07)`() async {
            await #expect(processExitsWith: .success) {
                // A GiB of blanks, compressed to a MiB, in members of a MiB each.
                let member = try Gzip.compress([UInt8](repeating: 0x20, count: 1 << 20))
                let bomb = [[UInt8]](repeating: member, count: 1 << 10).flatMap { $0 }
                let server = try RunningServer()
                let before = try Self.peak()
                let answer = try server.answer("POST", "/v1/notes", headers: "Content-Encoding: gzip\n", body: bomb)
                #expect(answer.status == 413)
                #expect(try Self.peak() - before < 64 << 10)
            }
        }
    }
#endif
