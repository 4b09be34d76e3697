import Synchronization
import Testing
import TidemarkJSON
import TidemarkServer

@Suite("A collection that another process holds")
struct HeldFeedTests {
    @Test func `W5 fails the POSTs to it, and none of those that came in together with them`() throws {
        let failures = Mutex(0)
        let core = ServerCore(
            storage: try FaultyStorage(holding: "held"), now: { 1 }, report: { _ in failures.withLock { $0 += 1 } })
        let requests = ["notes", "held", "tags", "held", "notes"].enumerated().map { number, collection in
            let body = "{\"edits\":[\(created("r\(number)", "\(number)", ["a": 1]).text)]}"
            return ServerRequest(method: "POST", target: "/v1/\(collection)", body: Array(body.utf8))
        }
        var statuses: [Int: Int] = [:]
        core.handle(requests) { statuses[$0] = $1.status }
        #expect((0..<5).map { statuses[$0] } == [200, 503, 200, 503, 200])
        #expect(failures.withLock { $0 } == 1, "it is waited for once, however many POSTs there are to it")
    }
}
