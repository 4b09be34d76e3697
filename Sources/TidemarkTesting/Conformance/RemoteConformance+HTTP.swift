import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkWire

extension RemoteConformance {
    /// The size of a body that every server should refuse, in bytes.
    private static let hugeBody = 32 << 20

    /// `{"edits":[]}` as gzip.
    private static let packedBody: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xAB, 0x56, 0x4A, 0x4D, 0xC9, 0x2C, 0x29, 0x56,
        0xB2, 0x8A, 0x8E, 0xAD, 0x05, 0x00, 0xB0, 0x71, 0x56, 0xF9, 0x0C, 0x00, 0x00, 0x00,
    ]

    /// Checks of single requests of HTTP.
    static let httpChecks: [Check] = [
        Check("W10 a malformed body is refused with 400", needs: .http) { probe in
            for body in [#"{"edits":[}"#, "{", "no JSON", "[]", #"{"edits":7}"#, "{}"] {
                try await probe.expectProblem("a POST of \(body)", 400, try await probe.send("POST", body: body))
            }
            let cut = #"{"edits":[\#(probe.editText("a", #"{"n":1}"#))"#
            try await probe.expectProblem(
                "a POST of a body that is cut off", 400, try await probe.send("POST", body: cut))
            try expect("the records", try await probe.listing().rows.map(\.pk), is: [])
        },
        Check("W10 a body over the limit is refused with 413", needs: .http) { probe in
            let text = Array(#"{"edits":[]"#.utf8)
            let body =
                text + Array(repeating: UInt8(ascii: " "), count: Self.hugeBody - text.count - 1) + Array("}".utf8)
            do {
                let reply = try await probe.send(ConformanceRequest("POST", probe.target(), body: body))
                try await probe.expectProblem("a POST of \(Self.hugeBody >> 20) MiB", 413, reply)
            } catch let failure as RemoteFailure where failure.failureClass == .offline {
                throw ConformanceFailure(
                    "a POST of \(Self.hugeBody >> 20) MiB", expected: "the status 413",
                    found: "no answer (\(failure.message)). Read or discard the body before closing the connection.")
            }
        },
        Check("W10 a request without a valid token is refused with 401 and WWW-Authenticate", needs: .http) { probe in
            guard probe.subject.http?.hasToken == true else {
                throw ConformanceSkip(why: "no token is given, so the server may be open to all")
            }
            for credentials in [.none, .wrong] as [ConformanceRequest.Credentials] {
                let what = credentials == .none ? "without a token" : "with a wrong token"
                let get = try await probe.send(ConformanceRequest("GET", probe.target(), credentials: credentials))
                let edit = probe.editText("a", #"{"n":1}"#)
                let body = Array(#"{"edits":[\#(edit)]}"#.utf8)
                let post = try await probe.send(
                    ConformanceRequest("POST", probe.target(), body: body, credentials: credentials))
                for (method, reply) in [("GET", get), ("POST", post)] {
                    try await probe.expectProblem("a \(method) \(what)", 401, reply)
                    let challenge = reply.field("WWW-Authenticate")?.lowercased() ?? "none"
                    guard Array(challenge.utf8).starts(with: Array("bearer".utf8)) else {
                        throw ConformanceFailure(
                            "WWW-Authenticate of a \(method) \(what)", expected: "Bearer", found: challenge)
                    }
                }
            }
            try expect("the records", try await probe.listing().rows.map(\.pk), is: [])
        },
        Check("W8 the 410 of a cursor is a problem document", needs: .http) { probe in
            let target = "\(probe.target())&max_updated_at=never.handed.out"
            try await probe.expectProblem(
                "a GET with an unknown cursor", 410, try await probe.send(ConformanceRequest("GET", target)))
        },
        Check("W5 an edit that is no object, or has a missing or malformed member, is refused alone", needs: .http) {
            probe in
            let bad =
                ["7", "null", "[]", #""a""#, "{}"]
                + Self.malformedMembers.enumerated().map { number, change in
                    probe.editText("c\(number)", "{}", setting: change.member, to: change.value)
                }
            for (number, text) in bad.enumerated() {
                let good = probe.editText("g\(number)", #"{"n":\#(number)}"#)
                let reply = try await probe.send("POST", body: #"{"edits":[\#(text),\#(good)]}"#)
                try expect("the status of a POST with the edit \(text)", reply.status, is: 200)
                let results = reply.json?["results"]?.array ?? []
                try expect("the number of results", results.count, is: 2)
                let problem = results[0]["error"]
                guard problem?.object != nil, let status = problem?["status"]?.int, [400, 422].contains(status),
                    problem?["title"]?.string?.isEmpty == false
                else {
                    throw ConformanceFailure(
                        "the error of the edit \(text)", expected: "a problem with the status 400 or 422 and a title",
                        found: problem?.text ?? "none")
                }
                try expect(
                    "the error of the correct edit in the same POST", results[1]["error"].map { $0.isNull } ?? true,
                    is: true)
            }
            try expect(
                "the records", Set(try await probe.listing().rows.map(\.pk)),
                is: Set((0..<bad.count).map { "g\($0)" }))
        },
        Check("W1 W7 a delete without updated_at is conflicted over a live record, and else accepted", needs: .http) {
            probe in
            _ = try await probe.accepted(RemoteProbe.create("a", "{}", id: "r1"))
            for (pk, isConflicted) in [("a", true), ("never", false)] {
                let edit: JSON = [
                    "request_id": JSON("\(probe.place.prefix)\(pk)"), "pk": JSON("\(probe.place.prefix)\(pk)"),
                    "sync_state": "DELETED",
                ]
                let result = try await probe.result(of: edit.text)
                try expect("the error of \(edit.text)", result["error"].map { $0.isNull } ?? true, is: true)
                try expect("“is_conflicted” of \(edit.text)", result["is_conflicted"], is: JSON.bool(isConflicted))
            }
        },
        Check("unknown members of an edit and of a query are ignored", needs: .http) { probe in
            let edit = probe.editText("a", #"{"n":1}"#, setting: "unknown", to: [1])
            let result = try await probe.result(of: edit)
            try expect("the error of \(edit)", result["error"].map { $0.isNull } ?? true, is: true)
            let target = "\(probe.target())&unknown=1"
            let reply = try await probe.send(ConformanceRequest("GET", target))
            try expect("the status of GET \(target)", reply.status, is: 200)
            try expect("the records", try await probe.listing().rows.map(\.pk), is: ["a"])
        },
        Check("a limit that is no whole number above 0 is refused with 400", needs: .http) { probe in
            for limit in ["0", "-1", "1.5", "abc"] {
                let target = WireRequest(ExchangeRequest(collection: probe.collection, cursor: nil, limit: 1)).path
                try await probe.expectProblem(
                    "a GET with limit=\(limit)", 400,
                    try await probe.send(ConformanceRequest("GET", "\(target)?limit=\(limit)")))
            }
        },
        Check("each answer has Tidemark-Wire: 1 and Cache-Control: no-store", needs: .http) { probe in
            let unknown = "\(probe.target())&max_updated_at=never.handed.out"
            let requests = [
                ConformanceRequest("GET", probe.target()), ConformanceRequest("GET", unknown),
                ConformanceRequest("POST", probe.target(), body: Array(#"{"edits":[]}"#.utf8)),
                ConformanceRequest("POST", probe.target(), body: Array("{".utf8)),
                ConformanceRequest("GET", probe.target(), credentials: .none), .list,
            ]
            for request in requests {
                let reply = try await probe.send(request)
                let what = "the answer \(reply.status) to \(request.method) \(request.target)"
                try expect("Tidemark-Wire of \(what)", reply.field("Tidemark-Wire") ?? "none", is: "1")
                let caching = reply.field("Cache-Control")?.lowercased() ?? "none"
                guard caching.utf8.contains("no-store".utf8) else {
                    throw ConformanceFailure("Cache-Control of \(what)", expected: "no-store", found: caching)
                }
            }
        },
        Check("each problem has a code, and a 410 the account", needs: .http, .full) { probe in
            let account = try await probe.get().account
            let malformed = try await probe.send("POST", body: "{")
            let unknown = try await probe.send(
                ConformanceRequest("GET", "\(probe.target())&max_updated_at=never.handed.out"))
            for reply in [malformed, unknown] {
                guard reply.json?["code"]?.string?.isEmpty == false else {
                    throw ConformanceFailure(
                        "the problem of the status \(reply.status)", expected: "a member “code”",
                        found: String(decoding: reply.body, as: UTF8.self).cutForEvidence)
                }
            }
            try expect("“code” of the 410 of an unknown cursor", unknown.json?["code"]?.string, is: "history-lost")
            try expect("“account” of the 410", unknown.json?["account"]?.string, is: account)
        },
        Check("a plus in a path is no blank", needs: .http, .anyNames) { probe in
            let other = probe.beside("+")
            _ = try await other.make("a", "{}", id: "r1")
            // own text: the plus that WireRequest has encoded
            let target = other.target().replacing("%2B", with: "+")
            let reply = try await probe.send(ConformanceRequest("GET", target))
            try expect("the status of GET \(target)", reply.status, is: 200)
            try expect("the number of its rows", reply.json?["items"]?.array?.count, is: 1)
        },
        Check("W4 an edit that is twice in one POST is applied once", needs: .http, .repetition) { probe in
            let first = try await probe.accepted(RemoteProbe.create("a", #"{"n":1}"#, id: "r1"))
            var edit: JSON = ["sync_state": "EDITED", "edited_data": [["op": "add", "path": "/n", "value": 2]]]
            edit["request_id"] = JSON("\(probe.place.prefix)r2")
            edit["pk"] = JSON("\(probe.place.prefix)a")
            edit["updated_at"] = first.version.flatMap { try? JSON(parsing: $0) }
            let reply = try await probe.send("POST", body: #"{"edits":[\#(edit.text),\#(edit.text)]}"#)
            try expect("the status of the POST", reply.status, is: 200)
            let results = reply.json?["results"]?.array ?? []
            try expect("the number of results", results.count, is: 2)
            for member in ["is_conflicted", "error", "item"] {
                try expect("“\(member)” of the second result", results[1][member], is: results[0][member])
            }
            try probe.compare("the row", of: try await probe.listing().rows.last?.version, is: #"{"n":2}"#)
        },
        Check("a body as gzip is unpacked, or refused with 415 below the full level", needs: .http) { probe in
            var request = ConformanceRequest("POST", probe.target(), body: Self.packedBody)
            request.fields.append((name: "Content-Encoding", value: "gzip"))
            let reply = try await probe.send(request)
            if probe.subject.level != .full, reply.status == 415 {
                return try await probe.expectProblem("a POST as gzip", 415, reply)
            }
            try expect("the status of a POST as gzip", reply.status, is: 200)
            try expect("the results of a POST without edits", reply.json?["results"], is: [])
        },
        Check("a large answer is packed as gzip", needs: .http, .full) { probe in
            let text = String(repeating: "0123456789abcdef", count: 1_000)
            _ = try await probe.make("a", #"{"text":"\#(text)"}"#, id: "r1")
            let reply = try await probe.send(ConformanceRequest("GET", probe.target()))
            try expect(
                "Content-Encoding of a page of \(text.utf8.count) bytes", reply.field("Content-Encoding") ?? "none",
                is: "gzip")
        },
        Check("a GET with count=1 has the number of rows that follow its page", needs: .http, .full) { probe in
            for number in 1...3 { _ = try await probe.make("p\(number)", "{}", id: "r\(number)") }
            for (limit, left) in [(1, 2), (2, 1), (3, 0)] {
                var request = ExchangeRequest(collection: probe.collection, cursor: nil, limit: limit)
                request.countsRows = true
                try expect("“left” after \(limit) of 3 rows", try await probe.exchange(request).left, is: left)
            }
        },
        Check("a record can be read alone: 200, 404 if it never existed, 410 if it was deleted", needs: .http, .full) {
            probe in
            let version = try await probe.accepted(RemoteProbe.create("a", #"{"n":1}"#, id: "r1"))
            let found = try await probe.send(ConformanceRequest("GET", probe.path(of: "a")))
            try expect("the status of a GET of the record", found.status, is: 200)
            try expect("its pk", found.json?["pk"]?.string, is: probe.place.prefix + "a")
            try expect("its version", found.json?["updated_at"]?.text, is: version.version)
            try expect("its content", found.json?["data"], is: ["n": 1])
            let unknown = try await probe.send(ConformanceRequest("GET", probe.path(of: "never")))
            try await probe.expectProblem("a GET of a record that never existed", 404, unknown)
            _ = try await probe.accepted(RemoteProbe.delete("a", version, id: "r2"))
            let deleted = try await probe.send(ConformanceRequest("GET", probe.path(of: "a")))
            try await probe.expectProblem("a GET of a deleted record", 410, deleted)
        },
        Check(
            "the list of collections has each with its cursor and number of records", needs: .http, .full,
            .newCollections
        ) {
            probe in
            for number in 1...2 { _ = try await probe.make("p\(number)", "{}", id: "r\(number)") }
            let cursor = try await probe.listing().cursor
            let list = try await probe.send(ConformanceRequest("GET", "/"))
            try expect("the status of GET /", list.status, is: 200)
            let own = list.json?["collections"]?.array?.first { $0["name"]?.string == probe.collection }
            if own == nil, list.json?["more"] == true {
                throw ConformanceSkip(why: "the server lists only some collections")
            }
            try expect("the number of records", own?["count"]?.int, is: 2)
            try expect("the cursor", own?["max_updated_at"]?.string, is: cursor)
            let answer = try await probe.get()
            try expect("“epoch” of the list", list.json?["epoch"]?.string, is: answer.epoch)
            try expect("“account” of the list", list.json?["account"]?.string, is: answer.account)
            try expect("“wire” of the list", list.json?["wire"]?.int, is: 1)
            try expect("“level” of the list", list.json?["level"]?.string, is: ConformanceLevel.full.rawValue)
        },
    ]

    /// The members of an edit that make it malformed; nil for one that is missing.
    private static let malformedMembers: [(member: String, value: JSON?)] = [
        ("request_id", nil), ("request_id", 7), ("request_id", ""), ("pk", nil), ("pk", 7), ("sync_state", nil),
        ("sync_state", "MERGED"), ("updated_at", true), ("edited_data", nil), ("edited_data", [:]),
        ("edited_data", [["op": "add", "path": ""]]), ("edited_data", [["op": "add", "value": [:]]]),
        ("edited_data", [["op": "set", "path": "", "value": [:]]]),
        ("edited_data", [["op": "add", "path": "n", "value": [:]]]),
    ]
}

extension RemoteProbe {
    func target(limit: Int = 100) -> String {
        WireRequest(ExchangeRequest(collection: self.collection, cursor: nil, limit: limit)).target
    }

    /// The target of a record.
    func path(of pk: String) -> String {
        let path = { WireRequest(ExchangeRequest(collection: $0, cursor: nil, limit: 1)).path }
        return path(self.collection) + path(self.place.prefix + pk)
    }

    /// An EDIT that creates a record, as it is in a body.
    ///
    /// - Parameters:
    ///   - member: A member that is set in addition.
    ///   - value: Its value; nil to leave it out.
    func editText(
        _ pk: String, _ content: String, setting member: String? = nil, to value: JSON? = nil
    ) -> String {
        let name = self.place.prefix + pk
        var edit: JSON = [
            "request_id": JSON(name), "pk": JSON(name), "sync_state": "CREATED", "updated_at": .null,
            "edited_data": [["op": "add", "path": "", "value": (try? JSON(parsing: content)) ?? [:]]],
        ]
        if let member { edit[member] = value }
        return edit.text
    }

    func result(of edit: String) async throws -> JSON {
        let reply = try await self.send("POST", body: #"{"edits":[\#(edit)]}"#)
        try expect("the status of a POST with the edit \(edit)", reply.status, is: 200)
        let results = reply.json?["results"]?.array ?? []
        try expect("the number of results", results.count, is: 1)
        return results[0]
    }

    func send(_ method: String, body: String) async throws -> ConformanceReply {
        try await self.send(ConformanceRequest(method, self.target(), body: Array(body.utf8)))
    }

    /// Sends a request within the time limit of an answer.
    func send(_ request: ConformanceRequest) async throws -> ConformanceReply {
        guard let http = self.subject.http else { throw ConformanceSkip(why: "the remote sends no requests of HTTP") }
        let reply = try await self.time.within("the answer to \(request.method) \(request.target)") {
            () async throws(RemoteFailure) in try await http.send(request)
        }
        let size = request.body.map { ", \($0.count) bytes" } ?? ""
        (self.remote as? ConformanceRecorder)?.note("\(request.method) \(request.target)\(size) → \(reply.status)")
        return reply
    }

    /// Throws a ``ConformanceFailure`` unless an answer is a problem document with a status.
    func expectProblem(_ what: String, _ status: Int, _ reply: ConformanceReply) async throws {
        try expect("the status of \(what)", reply.status, is: status)
        try expect("the Content-Type of \(what)", reply.mediaType, is: "application/problem+json")
        try expect("“status” of the problem of \(what)", reply.json?["status"]?.int, is: status)
        guard let title = reply.json?["title"]?.string, !title.isEmpty else {
            throw ConformanceFailure(
                "the problem of \(what)", expected: "a member “title”",
                found: String(decoding: reply.body, as: UTF8.self).cutForEvidence)
        }
    }
}
