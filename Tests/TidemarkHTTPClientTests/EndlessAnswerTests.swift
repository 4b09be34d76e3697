import CannedHTTP
import Foundation
import Testing
import TidemarkGzip
import TidemarkHTTPClient

#if os(Linux)
    /// An answer is refused as soon as it is known to be too large, and at no time more than the limit is held of it.
    @Suite(.timeLimit(.minutes(10))) struct `An answer without end (I10)` {
        /// How a server sends more than a client reads.
        enum Form: CaseIterable, Codable {
            /// In chunks, without a length.
            case chunks

            /// As gzip that is as large as its content.
            case gzip

            /// As gzip whose content is a thousand times larger.
            case bomb
        }

        /// The bytes before all pieces, and a piece that is repeated without end.
        private static func reply(_ form: Form) throws -> CannedServer.Reply {
            let coding = form == .chunks ? "" : "Content-Encoding: gzip\r\n"
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\(coding)Transfer-Encoding: chunked\r\n\r\n"
            // Each piece is a whole gzip member, and members may follow each other (RFC 1952 §2.2).
            let piece: [UInt8] =
                switch form {
                case .chunks: [UInt8](repeating: 0x20, count: 1 << 16)
                case .gzip: try Gzip.compress((0..<(1 << 16)).map { _ in UInt8.random(in: 0...255) })
                case .bomb: try Gzip.compress([UInt8](repeating: 0x20, count: 1 << 20))
                }
            let size = String(piece.count, radix: 16)
            return .endless(Array(head.utf8), Array("\(size)\r\n".utf8) + piece + Array("\r\n".utf8))
        }

        /// The peak memory of this process, in KiB.
        private static func peak() throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
        }

        @Test(arguments: Form.allCases)
        func `an answer without end needs the memory of one answer of the limit, however often it comes`(form: Form)
            async
        {
            await #expect(processExitsWith: .success) { [form] in
                let server = try CannedServer(Self.reply(form))
                let client = try HTTPClient(url: server.url)
                let before = try Self.peak()
                // The same client again: what one answer leaves behind must not add up.
                for _ in 1...4 {
                    #expect(try await failure(of: client, .get).kind == .tooLarge)
                }
                let held = try Self.peak() - before
                #expect(held < (client.limits.answerSize + (16 << 20)) >> 10, "\(held) KiB")
            }
        }

        @Test func `an answer that declares more than the limit is refused at its first piece`() async throws {
            // The rest is never sent, so nothing but the declared length can end this request.
            let server = try CannedServer(.stall(Array("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n{".utf8)))
            let client = try HTTPClient(url: server.url, limits: .init(silence: .seconds(10), answerSize: 1_000))
            #expect(try await failure(of: client, .get).kind == .tooLarge)
        }

        @Test func `a compressed answer is refused before its end if its content exceeds the limit`() async throws {
            let packed = try Gzip.compress([UInt8](repeating: 0x20, count: 5_000_000))
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n"
            let server = try CannedServer(.stall(Array(head.utf8) + packed.dropLast(8)))
            let client = try HTTPClient(url: server.url, limits: .init(silence: .seconds(10), answerSize: 100_000))
            #expect(try await failure(of: client, .get).kind == .tooLarge)
        }

        @Test func `gzip that decompresses to nothing counts by its compressed size`() async throws {
            // Members of an empty body each: 20 bytes that add nothing.
            let empty = try Gzip.compress([])
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
            let piece = [[UInt8]](repeating: empty, count: 50).flatMap { $0 }
            let server = try CannedServer(.endless(Array(head.utf8), piece))
            let client = try HTTPClient(url: server.url, limits: .init(whole: .seconds(10), answerSize: 100_000))
            #expect(try await failure(of: client, .get).kind == .tooLarge)
        }
    }
#endif
