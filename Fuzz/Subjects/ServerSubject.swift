import TidemarkJSON
import TidemarkServer

/// Requests to a new server, each a first line, fields, an empty line and a body; between two a line `%`. None of them
/// makes it fail (W10), and what it has then can be read to its end (W8).
enum ServerSubject {
    static func examine(_ input: [UInt8]) {
        let core = self.core()
        for lines in input.lines.split(separator: [UInt8(ascii: "%")]).prefix(8) {
            let request = self.request(lines)
            let answer = core.handle(request)
            self.examine(answer, to: request)
            if request.method == "POST", answer.status == 200 {
                law("a POST can be repeated (W4)") { core.handle(request).status == 200 }
            }
        }
        self.readToTheEnd(of: core)
    }

    /// Limits that a small input can reach.
    static func core() -> ServerCore {
        var limits = ServerLimits()
        (limits.page, limits.pageBytes, limits.results) = (3, 1_024, 1_024)
        (limits.body, limits.record, limits.edits) = (16_384, 2_048, 6)
        (limits.recordDepth, limits.bodyDepth) = (12, 20)
        (limits.rememberedEdit, limits.rememberedResult) = (256, 256)
        do {
            return ServerCore(
                storage: try SQLiteServerStorage(.memory, epoch: { "e1" }, run: { "r1" }), limits: limits,
                now: { 1_000 }, report: { Law.whenBroken("the storage does not fail: \($0)") })
        } catch {
            fatalError("no storage: \(error)")
        }
    }

    static func examine(_ answer: ServerResponse, to request: ServerRequest) {
        law("the server does not fail") { answer.status != 500 }
        let type = answer.header("Content-Type") ?? ""
        switch RequestKind(request) {
        case .operations where answer.status < 400:
            law("a page for machines is text, whole lines of it") {
                type.hasPrefix("text/plain") && answer.body.last == UInt8(ascii: "\n")
                    && String(validating: answer.body, as: UTF8.self) != nil
            }
        case .hints where answer.status < 400:
            law("hints are events (Contract §10)") {
                type == "text/event-stream" && (answer.body.isEmpty || answer.body.ends(in: "\n\n"))
            }
        case .list, .post, .item, .collections, .hints, .operations, .other:
            law("every other answer is JSON") { try JSON(parsing: answer.body).object != nil }
        }
        law("a refusal is a problem (RFC 9457), and nothing else is") {
            (answer.header("Content-Type") == "application/problem+json") == (answer.status >= 400)
        }
    }

    private static func request(_ lines: ArraySlice<ArraySlice<UInt8>>) -> ServerRequest {
        let head = lines.prefix { !$0.isEmpty }.map(\.repairedText)
        let words = (head.first ?? "").split(separator: " ", omittingEmptySubsequences: false)
        let fields = head.dropFirst().map { line in
            let sides = line.split(separator: ":", maxSplits: 1)
            return (String(sides.first ?? ""), sides.count > 1 ? String(sides[1]) : "")
        }
        return ServerRequest(
            method: String(words.first ?? ""), target: words.dropFirst().joined(separator: " "),
            headers: Array(fields), body: Array(lines.dropFirst(head.count + 1).joined(separator: [0x0A])))
    }

    private static func readToTheEnd(of core: ServerCore) {
        var cursor = ""
        // No input here makes more rows than this many pages hold.
        for _ in 0..<100 {
            let request = ServerRequest(method: "GET", path: "/v1/notes", query: [("max_updated_at", cursor)])
            let answer = core.handle(request)
            self.examine(answer, to: request)
            guard let page = try? JSON(parsing: answer.body), let mark = page["max_updated_at"]?.string else {
                return Law.whenBroken("a page names the place after it")
            }
            guard page["more"] == true else { return }
            law("more is further on (I8)") { mark != cursor }
            cursor = mark
        }
        Law.whenBroken("a feed ends")
    }
}

extension [UInt8] {
    fileprivate func ends(in text: String) -> Bool { self.suffix(text.utf8.count).elementsEqual(text.utf8) }
}
