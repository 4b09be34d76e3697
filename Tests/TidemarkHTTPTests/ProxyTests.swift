import CannedHTTP
import Foundation
import Testing
import TidemarkCore
import TidemarkHTTP
import TidemarkMachine

#if !canImport(Darwin)
    @Suite(.timeLimit(.minutes(10))) struct `A proxy (X12)` {
        @Test func `a proxy that does not run is named in the error, not the server`() async {
            // In a separate process, since all tests of a process share its environment.
            await #expect(processExitsWith: .success) {
                let dead = try CannedServer(.text(""))
                dead.stop()
                setenv("http_proxy", "http://127.0.0.1:\(dead.port)", 1)
                let failure = try await exchangeFailure(of: try HTTPRemote(url: "http://notes.example/v1"))
                let isRight =
                    failure.failureClass == .offline && failure.message.contains("The proxy on the way to")
                    && failure.message.contains("port \(dead.port)")
                    && !failure.message.contains("Is the server running")
                exit(isRight ? 0 : 1)
            }
        }

        @Test func `requests to localhost and 127.0.0.1 bypass the proxy (H08)`() async {
            await #expect(processExitsWith: .success) {
                let dead = try CannedServer(.text(""))
                dead.stop()
                setenv("http_proxy", "http://127.0.0.1:\(dead.port)", 1)
                for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
                let server = try CannedServer(.http("200 OK", ["Content-Type: application/json"], body: emptyAnswer))
                for host in ["127.0.0.1", "localhost"] {
                    let remote = try HTTPRemote(url: "http://\(host):\(server.port)/v1")
                    _ = try await remote.exchange(.get)
                }
                exit(server.requests.count == 2 ? 0 : 1)
            }
        }
    }
#endif
