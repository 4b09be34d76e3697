import CannedHTTP
import Testing
import TidemarkCore
import TidemarkGzip
import TidemarkHTTP
import TidemarkMachine

#if !canImport(Darwin)
    /// A compressed body must be complete (RFC 1952 §2.3): its last eight bytes are the checksum and the size of the original.
    @Suite(.timeLimit(.minutes(10))) struct `A compressed answer (X12)` {
        private static let packed = try? Gzip.compress(Array(emptyAnswer.utf8))

        private static func reply(_ body: [UInt8], coding: String = "gzip") -> CannedServer.Reply {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: \(coding)\r\n"
            return .bytes(Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body)
        }

        @Test(arguments: 1...8)
        func `a compressed answer with an incomplete trailer counts as truncated`(missing: Int) async throws {
            let packed = try #require(Self.packed)
            let server = try CannedServer(Self.reply(Array(packed.dropLast(missing))))
            let failure = try await exchangeFailure(of: try HTTPRemote(url: server.url))
            #expect(failure.failureClass == .offline, "\(failure)")
            #expect(failure.message.contains("was lost before"))
        }

        @Test(arguments: ["gzip", "GZIP", "x-gzip"])
        func `a complete compressed answer is accepted`(coding: String) async throws {
            let server = try CannedServer(Self.reply(try #require(Self.packed), coding: coding))
            #expect(try await HTTPRemote(url: server.url).exchange(.get).cursor == "w")
            #expect(server.requests.first?.header("Accept-Encoding") == "gzip")
        }

        @Test func `a damaged compressed answer is refused`() async throws {
            var packed = try #require(Self.packed)
            packed[packed.count - 6] ^= 1
            let server = try CannedServer(Self.reply(packed))
            #expect(try await exchangeFailure(of: try HTTPRemote(url: server.url)).failureClass == .offline)
        }

        @Test func `an answer in an unrequested encoding is an invalid answer that names it`() async throws {
            let server = try CannedServer(Self.reply(Array("x".utf8), coding: "br"))
            let failure = try await exchangeFailure(of: try HTTPRemote(url: server.url))
            #expect(failure.failureClass == .invalidAnswer)
            #expect(failure.message.contains("“br”"))
        }

        @Test(arguments: [-1, 0, 1])
        func `a compressed answer may have exactly the limit when decompressed`(spare: Int) async throws {
            let answer = Array((emptyAnswer + String(repeating: " ", count: 1_000)).utf8)
            let server = try CannedServer(Self.reply(try Gzip.compress(answer)))
            let options = HTTPRemote.Options(answerLimit: answer.count + spare)
            let remote = try HTTPRemote(url: server.url, options: options)
            if spare < 0 {
                let failure = try await exchangeFailure(of: remote)
                #expect(failure.blame == .answerSize)
            } else {
                #expect(try await remote.exchange(.get).cursor == "w")
            }
        }

        @Test func `an empty compressed answer is accepted with a status without a body`() async throws {
            let server = try CannedServer(.http("503 Busy", ["Content-Encoding: gzip"]))
            #expect(try await exchangeFailure(of: try HTTPRemote(url: server.url)).failureClass == .busy)
        }
    }
#endif
