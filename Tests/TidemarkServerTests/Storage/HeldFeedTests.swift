import Testing
import TidemarkJSON
import TidemarkServer

@Suite("A collection that another process locks")
struct HeldFeedTests {
    @Test func `a locked collection fails its POSTs, but not other POSTs of the same group (W5)`() throws {
        let heard = Heard()
        let core = ServerCore(
            storage: try FaultyStorage(holding: "held"), now: { 1 }, report: { heard.add($0.message) })
        let requests = ["notes", "held", "tags", "held", "notes"].enumerated().map { number, collection in
            let body = "{\"edits\":[\(created("r\(number)", "\(number)", ["a": 1]).text)]}"
            return ServerRequest(method: "POST", target: "/v1/\(collection)", body: Array(body.utf8))
        }
        var statuses: [Int: Int] = [:]
        core.handle(requests) { statuses[$0] = $1.status }
        #expect((0..<5).map { statuses[$0] } == [200, 503, 200, 503, 200])
        #expect(heard.messages == ["another process locks it"], "all wait for it once, together")
    }

    @Test func `a damaged row fails the POST that needs it, but not other POSTs to its collection (W5)`() throws {
        let failures = Heard()
        let core = ServerCore(
            storage: try FaultyStorage(damaging: "2"), now: { 1 }, report: { failures.add($0.message) })
        let requests = (1...3).map { number in
            let body = "{\"edits\":[\(created("r\(number)", "\(number)", ["a": 1]).text)]}"
            return ServerRequest(method: "POST", target: "/v1/notes", body: Array(body.utf8))
        }
        var statuses: [Int: Int] = [:]
        core.handle(requests) { statuses[$0] = $1.status }
        #expect((0..<3).map { statuses[$0] } == [200, 500, 200])
        #expect(failures.messages == ["the row of “2” is damaged"])
    }
}
