import CannedHTTP
import Testing
import TidemarkCore
import TidemarkGzip
import TidemarkHTTP
import TidemarkMachine

#if !canImport(Darwin)
    /// What is packed has to be whole (RFC 1952 §2.3): the eight bytes at its end say what was packed.
    @Suite(.timeLimit(.minutes(2))) struct `X12 a packed answer` {
        private static let packed = try? Gzip.compress(Array(emptyAnswer.utf8))

        private static func reply(_ body: [UInt8], coding: String = "gzip") -> CannedServer.Reply {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: \(coding)\r\n"
            return .bytes(Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body)
        }

        @Test(arguments: 1...8)
        func `without the whole of its trailer has broken off`(missing: Int) async throws {
            let packed = try #require(Self.packed)
            let server = try CannedServer(Self.reply(Array(packed.dropLast(missing))))
            let failure = try await exchangeFailure(of: try HTTPRemote(url: server.url))
            #expect(failure.failureClass == .offline, "\(failure)")
            #expect(failure.message.contains("broke off"))
        }

        @Test(arguments: ["gzip", "GZIP", "x-gzip"])
        func `that is whole is taken`(coding: String) async throws {
            let server = try CannedServer(Self.reply(try #require(Self.packed), coding: coding))
            #expect(try await HTTPRemote(url: server.url).exchange(.get).watermark == "w")
            #expect(server.requests.first?.header("Accept-Encoding") == "gzip")
        }

        @Test func `that was damaged on its way is not taken`() async throws {
            var packed = try #require(Self.packed)
            packed[packed.count - 6] ^= 1
            let server = try CannedServer(Self.reply(packed))
            #expect(try await exchangeFailure(of: try HTTPRemote(url: server.url)).failureClass == .offline)
        }

        @Test func `in a form that was not asked for is a protocol failure, and named`() async throws {
            let server = try CannedServer(Self.reply(Array("x".utf8), coding: "br"))
            let failure = try await exchangeFailure(of: try HTTPRemote(url: server.url))
            #expect(failure.failureClass == .protocol)
            #expect(failure.message.contains("“br”"))
        }

        @Test(arguments: [-1, 0, 1])
        func `may unpack to just the limit`(spare: Int) async throws {
            let answer = Array((emptyAnswer + String(repeating: " ", count: 1_000)).utf8)
            let server = try CannedServer(Self.reply(try Gzip.compress(answer)))
            let options = HTTPRemote.Options(answerLimit: answer.count + spare)
            let remote = try HTTPRemote(url: server.url, options: options)
            if spare < 0 {
                let failure = try await exchangeFailure(of: remote)
                #expect(failure.blame == .answerSize)
            } else {
                #expect(try await remote.exchange(.get).watermark == "w")
            }
        }

        @Test func `of nothing goes with a status that has nothing to say`() async throws {
            let server = try CannedServer(.http("503 Busy", ["Content-Encoding: gzip"]))
            #expect(try await exchangeFailure(of: try HTTPRemote(url: server.url)).failureClass == .busy)
        }
    }
#endif
