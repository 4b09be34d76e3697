import CannedHTTP
import Foundation
import Testing
import TidemarkCore
import TidemarkHTTP
import TidemarkMachine

#if !canImport(Darwin)
    @Suite(.timeLimit(.minutes(2))) struct `X12 a proxy` {
        @Test func `that does not run is named, and the server is not said to be down`() async {
            // In a process of its own: the environment is everybody's.
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

        @Test func `is not asked for this machine, whatever it is called (H08)`() async {
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
