import Foundation
import TestSupport
import Testing
import TidemarkJSON
import TidemarkServer

@Suite("Liveness, readiness, metrics and the rate limit")
struct OperationTests {
    private func text(_ server: ServerHarness, _ path: String) -> (status: Int, text: String) {
        let response = server.send("GET", path)
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }

    @Test(arguments: ["/healthz", "/readyz", "/metrics"])
    func `the operation paths need no token, and show no name`(path: String) throws {
        let server = try ServerHarness(tokens: ["s3cret"])
        try server.make("pk-of-a-record", in: "name-of-a-collection", token: "s3cret")
        let answer = self.text(server, path)
        #expect(answer.status == 200)
        for word in ["s3cret", "pk-of", "name-of"] { #expect(!answer.text.contains(word)) }
        #expect(server.send("HEAD", path).status == 200)
        #expect(server.send("POST", path).status == 401, "these paths have no POST")
    }

    @Test func `the server is alive but not ready once it is about to stop`() throws {
        let server = try ServerHarness()
        #expect(self.text(server, "/readyz").status == 200)
        server.core.drain()
        #expect(self.text(server, "/readyz").status == 503)
        #expect(self.text(server, "/healthz").status == 200)
        try server.make("1")
    }

    @Test func `the server is not ready if its storage fails`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("server.db")
        let core = ServerCore(storage: try SQLiteServerStorage(.file(path)), now: { 1 })
        let request = ServerRequest(method: "GET", target: "/readyz")
        #expect(core.handle(request).status == 200)
        try FileManager.default.moveItem(atPath: path, toPath: folder.path("elsewhere.db"))
        #expect(core.handle(request).status == 503)
        let metrics = core.handle(ServerRequest(method: "GET", target: "/metrics")).body
        #expect(String(decoding: metrics, as: UTF8.self).contains("\ntidemark_storage_failures_total 1\n"))
    }

    @Test func `metrics count the outcomes of edits`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        _ = try server.post(created("make-1", "1", ["a": 1]))
        _ = try server.post(setting("late", "1", version - 1, to: 2), setting("good", "1", version, to: 3))
        _ = try server.post(["request_id": "wrong", "pk": "1"])
        let metrics = self.text(server, "/metrics").text
        for line in [
            #"tidemark_edits_total{outcome="accepted"} 2"#, #"tidemark_edits_total{outcome="conflicted"} 1"#,
            #"tidemark_edits_total{outcome="repeated"} 1"#, #"tidemark_edits_total{outcome="refused"} 1"#,
            "tidemark_posts_total 4", "tidemark_commits_total 4",
        ] {
            #expect(metrics.contains("\n\(line)\n"), "\(line) is missing in \(metrics)")
        }
    }

    @Test func `metrics have the text format: each family once with its type, values as numbers`() throws {
        let server = try ServerHarness()
        server.core.metrics.note(.list, status: 200, time: .milliseconds(2), received: 0, sent: 10)
        server.core.metrics.note(.list, status: 401, time: .seconds(9), received: 5, sent: 10)
        let lines = self.text(server, "/metrics").text.split(separator: "\n").map(String.init)
        var families: Set<String> = []
        var last = ""
        for line in lines where line.hasPrefix("# TYPE ") {
            let words = line.split(separator: " ")
            #expect(words.count == 4 && ["counter", "gauge", "histogram"].contains(words[3]), "\(line)")
            #expect(families.insert(String(words[2])).inserted, "\(line)")
        }
        for line in lines {
            if line.hasPrefix("# TYPE ") { last = String(line.split(separator: " ")[2]) }
            guard !line.hasPrefix("#") else { continue }
            #expect(line.hasPrefix(last), "\(line) is not a value of \(last)")
            #expect(line.split(separator: " ").last.flatMap { Double($0) } != nil, "\(line)")
        }
        for line in [
            #"tidemark_requests_total{request="list",status="200"} 1"#,
            #"tidemark_request_seconds_bucket{request="list",le="0.001"} 0"#,
            #"tidemark_request_seconds_bucket{request="list",le="0.005"} 1"#,
            #"tidemark_request_seconds_bucket{request="list",le="2.5"} 1"#,
            #"tidemark_request_seconds_bucket{request="list",le="+Inf"} 2"#,
            #"tidemark_request_seconds_count{request="list"} 2"#, #"tidemark_sent_bytes_total{request="list"} 20"#,
        ] {
            #expect(lines.contains(line), "\(line) is missing")
        }
    }

    @Test func `an account over its rate limit gets a time to retry, and other accounts do not`() throws {
        var limits = ServerLimits()
        (limits.requestsPerSecond, limits.requestBurst) = (2, 3)
        let server = try ServerHarness(tokens: ["t1", "t2"], limits: limits)
        for _ in 0..<6 { #expect(server.send("GET", "/v1/notes", token: "t1").status == 200) }
        for method in ["GET", "POST"] {
            let refusal = server.send(method, "/v1/notes", body: #"{"edits":[]}"#, token: "t1")
            #expect(refusal.status == 429)
            #expect(refusal.header("Retry-After") == "1")
        }
        let refused = ServerRequest(
            method: "POST", target: "/v1/notes", headers: [("Authorization", "Bearer t1")],
            body: Array(#"{"edits":[]}"#.utf8))
        server.core.handle([refused]) { #expect($1.status == 429 && $1.account != nil, "the log needs the account") }
        #expect(server.send("GET", "/v1/notes", token: "t2").status == 200)
        #expect(server.send("GET", "/healthz").status == 200)
        server.clock.set(server.clock.now + 500_000)
        #expect(server.send("GET", "/v1/notes", token: "t1").status == 200)
        #expect(server.send("GET", "/v1/notes", token: "t1").status == 429)
        // If the clock is set back, the budget stays the same.
        server.clock.set(server.clock.now - 3_600_000_000)
        #expect(server.send("GET", "/v1/notes", token: "t1").status == 429)
        // After any pause, only a burst is allowed.
        server.clock.advance(days: 2)
        let statuses = (0..<8).map { _ in server.send("GET", "/v1/notes", token: "t1").status }
        #expect(statuses.count { $0 == 200 } == 6)
    }
}
