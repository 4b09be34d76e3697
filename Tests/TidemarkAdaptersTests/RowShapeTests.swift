import TidemarkAdapters
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import Testing

@Suite struct `Rows in JSON over HTTP` {
    private let rows = RowShape(pk: "id", version: "updated_at", deleted: "deleted", overlap: 1_000)

    private func answer(_ status: Int, _ body: String = "", _ fields: [(String, String)] = []) -> HTTPAnswer {
        HTTPAnswer(status: status, fields: fields.map { (name: $0.0, value: $0.1) }, body: Array(body.utf8))
    }

    private func edit(_ members: String, base: String? = nil) throws -> UploadRequest {
        try UploadRequest(
            encodedEdit: Array(#"{"request_id":"r","pk":"1",\#(members)}"#.utf8), base: base.map { Array($0.utf8) })
    }

    @Test func `a page has rows, tombstones, malformed items and a cursor`() throws {
        let body =
            #"{"items":[{"id":"1","updated_at":5000,"a":1.10},{"id":2,"updated_at":6000,"deleted":true},{"id":"3"},7]}"#
        let page = try self.rows.changes(self.answer(200, body), in: "items", after: nil, limit: 10)
        #expect(page.rows.map(\.pk) == ["1", "2"])
        #expect(page.rows[0].content?.text == #"{"id":"1","updated_at":5000,"a":1.10}"#)
        #expect(page.rows[1].content == nil)
        let times = #"[{"id":"1","updated_at":1,"deleted":"2026-01-01"},{"id":"2","updated_at":2,"deleted":0}]"#
        #expect(try self.rows.list(self.answer(200, times)).rows.map { $0.content == nil } == [true, false])
        #expect(page.malformed.map(\.pk) == ["3", "item 7"])
        #expect(page.malformed[0].reason == "the server's item is malformed: it has no “updated_at”")
        // A server may return fewer rows than asked for: the end is a page without a new version.
        #expect(page.cursor == "6000+" && page.hasMore)
        let end = try self.rows.changes(self.answer(200, "[]"), after: page.cursor, limit: 10)
        #expect(end.cursor == "6000" && !end.hasMore)
        let same = #"[{"id":"2","updated_at":6000}]"#
        #expect(try !self.rows.changes(self.answer(200, same), after: page.cursor, limit: 10).hasMore)
        let told = try self.rows.changes(self.answer(200, body), in: "items", after: nil, limit: 10, hasMore: false)
        #expect(told.cursor == "6000" && !told.hasMore)
    }

    @Test(arguments: [510, 512, 513, 1_000])
    func `an item that is nested too deep is quarantined, and its neighbors are kept`(depth: Int) throws {
        let nested = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
        let body =
            #"[{"id":"1","updated_at":5},{"id":"deep","updated_at":6,"a":\#(nested)},{"id":"2","updated_at":7}]"#
        let page = FeedPage(try self.rows.list(self.answer(200, body)))
        #expect(page.rows.map { page.pk(of: $0) } == (depth <= 512 ? ["1", "deep", "2"] : ["1", "2"]))
        #expect(page.malformed.map(\.pk) == (depth <= 512 ? [] : ["deep"]))
        #expect(page.malformed.allSatisfy { $0.reason.hasSuffix("it is nested more than 512 deep") })
    }

    @Test func `a full page means more rows; the overlap is read again unless that stalls`() throws {
        let body = #"[{"id":"1","updated_at":5000},{"id":"2","updated_at":6000}]"#
        let page = try self.rows.changes(self.answer(200, body), after: nil, limit: 2)
        // The rows with the last version are read again, and so is the overlap before them if that moves the cursor on.
        #expect(page.hasMore && page.cursor == "5000")
        #expect(self.rows.since(page.cursor) == "4000")
        let dense = #"[{"id":"1","updated_at":4100},{"id":"2","updated_at":4200}]"#
        let within = try self.rows.changes(self.answer(200, dense), after: "5000", limit: 2)
        #expect(within.hasMore && within.cursor == "4100+/5000")
        #expect(self.rows.since(within.cursor) == "4100")
        #expect(try self.rows.changes(self.answer(200, "[]"), after: "4100+", limit: 2).cursor == "4100")
        let last = try self.rows.changes(self.answer(200, body), after: "5000", limit: 3, hasMore: false)
        #expect(!last.hasMore && last.cursor == "6000")
        #expect(self.rows.since(last.cursor) == "5000")
        #expect(self.rows.since("400") == "0")
        #expect(self.rows.since(nil) == nil)
        #expect(RowShape(pk: "id", version: "v").since("400") == "400")
        #expect(try self.rows.changes(self.answer(200, "[]"), after: "9", limit: 3).cursor == "9")
    }

    /// The rows behind the cursor are read again only with the overlap.
    @Test func `a row that becomes visible between two pages is within the next overlap (I6)`() throws {
        func read(_ versions: Int..., after cursor: String?) throws -> RowChanges {
            let items = versions.map { #"{"id":"\#($0)","updated_at":\#($0)}"# }.joined(separator: ",")
            return try self.rows.changes(self.answer(200, "[\(items)]"), after: cursor, limit: 10)
        }
        let page = try read(5_000, after: nil)
        #expect(self.rows.since(page.cursor) == "5000")
        // Now a row with the version 4500 becomes visible, and another device writes.
        let next = try read(9_000, after: page.cursor)
        let end = try read(after: next.cursor)
        #expect(!end.hasMore)
        #expect(self.rows.since(end.cursor) == "4000")
        // After a page with all rows of the overlap, the cursor moves on.
        let again = try read(4_500, 5_000, 9_000, after: end.cursor)
        #expect(try read(after: again.cursor).cursor == "9000")
        // A server that returns fewer rows than requested: nothing is newer than at the last end.
        let short = try read(4_500, after: end.cursor)
        let rest = try read(5_000, 9_000, after: short.cursor)
        #expect(try read(after: rest.cursor).cursor == "9000")
        // With a newer row, the overlap is read again.
        let newer = try read(9_000, 9_100, after: short.cursor)
        #expect(self.rows.since(try read(after: newer.cursor).cursor) == "3500")
    }

    /// The server returns rows that are as new as the time of the request, or newer. Two times differ by a nanosecond.
    @Test func `an overlap of times reads a row that becomes visible late (I6)`() throws {
        let rows = RowShape(pk: "id", version: "at", overlap: .seconds(5))
        let times = ["00.5", "01", "01.000000001", "02.5+00:00", "03", "20.000001"].map { "2026-01-01T00:00:\($0)" }
        func read(_ places: Int..., after cursor: String?) throws -> RowChanges {
            let items = places.map { place in
                #"{"id":"\#(place)","at":"\#(times[place])\#(times[place].hasSuffix(":00") ? "" : "Z")"}"#
            }
            return try rows.changes(self.answer(200, "[\(items.joined(separator: ","))]"), after: cursor, limit: 3)
        }
        // The row 3 is not visible yet.
        let first = try read(0, 1, 2, after: nil)
        #expect(first.hasMore && rows.since(first.cursor) == "2025-12-31T23:59:55.500Z")
        let second = try read(0, 1, 2, after: first.cursor)
        #expect(second.hasMore && rows.since(second.cursor) == "2026-01-01T00:00:00.500Z")
        let third = try read(0, 1, 2, after: second.cursor)
        #expect(third.hasMore && rows.since(third.cursor) == "2026-01-01T00:00:01.000Z")
        let fourth = try read(1, 2, 4, after: third.cursor)
        #expect(fourth.hasMore && rows.since(fourth.cursor) == "2026-01-01T00:00:03.000Z")
        // Now it is.
        let last = try read(4, 5, after: fourth.cursor)
        #expect(last.hasMore && rows.since(last.cursor) == "2026-01-01T00:00:20.000001Z")
        let end = try read(5, after: last.cursor)
        #expect(!end.hasMore && rows.since(end.cursor) == "2025-12-31T23:59:55.500Z")
        // A cursor that another shape made.
        #expect(rows.since("2026-01-01T00:00:09Z") == "2026-01-01T00:00:09Z")
    }

    @Test(arguments: [("5", "overlap: 5_000"), ("\"2026-01-01T00:00:00Z\"", "overlap: .seconds(5)")])
    func `the message about a version of another form names the other overlap`(version: String, advice: String) {
        let (times, numbers) = (
            RowShape(pk: "id", version: "at", overlap: .seconds(5)), RowShape(pk: "id", version: "at", overlap: 5_000)
        )
        let rows = version == "5" ? times : numbers
        let failure = #expect(throws: RemoteFailure.self) {
            try rows.changes(self.answer(200, #"[{"id":"1","at":\#(version)}]"#), after: nil, limit: 2)
        }
        #expect(failure?.message.hasSuffix("such as `\(advice)`.") == true)
    }

    @Test func `a full page without a version, and an overlap of texts, are errors`() throws {
        #expect(throws: RemoteFailure.self) {
            try self.rows.changes(self.answer(200, #"[{"id":"1"},{"id":"2"}]"#), after: "5", limit: 2)
        }
        #expect(throws: RemoteFailure.self) {
            try self.rows.changes(self.answer(200, #"[{"id":"1","updated_at":"2026-01-01"}]"#), after: nil, limit: 2)
        }
        #expect(throws: RemoteFailure.self) { try self.rows.list(self.answer(206, "[]")) }
    }

    @Test func `a full page of one version is an error that says what to do`() throws {
        let body = #"[{"id":"1","updated_at":6000},{"id":"2","updated_at":6000}]"#
        let failure = #expect(throws: RemoteFailure.self) {
            try self.rows.changes(self.answer(200, body), after: "6000+", limit: 2)
        }
        #expect(failure?.failureClass == .invalidAnswer)
        #expect(failure?.message.contains("Raise the page limit") == true)
    }

    @Test(arguments: [
        ("{", "is not JSON"), ("{}", "is not an array in “items”"), (#"{"items":{}}"#, "is not an array"),
    ])
    func `a body without rows is an invalid answer`(body: String, message: String) {
        let failure = #expect(throws: RemoteFailure.self) {
            try self.rows.changes(self.answer(200, body), in: "items", after: nil, limit: 2)
        }
        #expect(failure?.failureClass == .invalidAnswer)
        #expect(failure?.message.contains(message) == true)
    }

    @Test(arguments: [
        (401, FailureClass.auth), (404, .notFound), (410, .historyLost), (429, .busy), (503, .busy),
        (501, .invalidAnswer),
        (302, .portal), (511, .portal), (400, .refused),
    ])
    func `a status gets its failure class (Contract §3.5)`(status: Int, failureClass: FailureClass) {
        let fields = status == 302 ? [("Location", "https://login.example/")] : []
        let failure = RemoteFailure(self.answer(status, #"{"detail":"Closed"}"#, fields))
        #expect(failure?.failureClass == failureClass)
        #expect(failure?.message == "The server answered with status \(status): Closed.")
        #expect(RemoteFailure(self.answer(204)) == nil)
    }

    @Test func `a write is answered by its status`() throws {
        let edit = try self.edit(#""sync_state":"EDITED","updated_at":"\"e\"","edited_data":[]"#, base: "{}")
        let delete = try self.edit(#""sync_state":"DELETED","updated_at":1"#)
        let row = #"{"id":"1","updated_at":7}"#
        guard case .accepted(let written?) = try self.rows.answer(self.answer(200, row), to: edit) else {
            Issue.record("not accepted")
            return
        }
        #expect(written.version == 7)
        let other = #"{"id":"err","updated_at":7}"#
        guard case .conflicted(nil) = try self.rows.answer(self.answer(409, other), to: edit),
            case .accepted(nil) = try self.rows.answer(
                self.answer(200, row),
                to: try self.edit(
                    #""sync_state":"CREATED","edited_data":[{"op":"add","path":"","value":{"title":"a"}}]"#))
        else {
            Issue.record("A document that is not the whole row counts as the row.")
            return
        }
        guard case .accepted(nil) = try self.rows.answer(self.answer(204), to: edit),
            case .accepted(nil) = try self.rows.answer(self.answer(404), to: delete),
            case .conflicted(nil) = try self.rows.answer(self.answer(404), to: edit),
            case .unknown = try self.rows.answer(self.answer(202), to: edit),
            case .conflicted(let present?) = try self.rows.answer(self.answer(412, row), to: edit),
            case .refused(status: 422, "Too long") = try self.rows.answer(
                self.answer(422, #"{"title":"Too long"}"#), to: edit)
        else {
            Issue.record("another answer")
            return
        }
        #expect(present.version == 7)
        #expect(throws: RemoteFailure.self) { try self.rows.answer(self.answer(503), to: edit) }
        #expect(throws: RemoteFailure.self) { try self.rows.answer(self.answer(401), to: edit) }
        #expect(throws: RemoteFailure.self) { try self.rows.answer(self.answer(403), to: edit) }
        #expect(throws: RemoteFailure.self) { try self.rows.answer(self.answer(304), to: edit) }
        let create = try self.edit(#""sync_state":"CREATED","edited_data":[{"op":"add","path":"","value":{}}]"#)
        guard case .refused(status: 404, _) = try self.rows.answer(self.answer(404), to: create) else {
            Issue.record("A create without a place is not refused.")
            return
        }
    }

    @Test func `a row of a server that names the rows has the text in the member, or else its name, as the pk`() throws
    {
        let rows = RowShape(name: "id", pk: "ref", version: "v", order: "t", deleted: "deleted")
        let body =
            #"[{"id":1,"ref":"P","v":1,"t":5},{"id":2,"v":1,"t":6},{"id":3,"ref":null,"v":1,"t":7},{"id":4,"ref":7,"v":1,"t":8}"#
            + #",{"ref":"Q","v":1,"t":9},{"id":5,"ref":"R","t":10}]"#
        let page = try rows.changes(self.answer(200, body), after: nil, limit: 9, hasMore: false)
        #expect(page.rows.map(\.pk) == ["P", "2", "3"])
        #expect(page.rows.map(\.name) == ["1", "2", "3"])
        #expect(page.malformed.map(\.pk) == ["4", #"item {"ref":"Q","v":1,"t":9}"#, "5"])
        let reasons = ["its “ref” is not a string", "it has no “id”", "it has no “v”"]
        #expect(page.malformed.map(\.reason) == reasons.map { "the server's item is malformed: \($0)" })
        #expect(page.cursor == "10")
        let found =
            #"[{"id":1,"ref":"P","v":2,"t":5,"deleted":true},{"id":2,"ref":"P","v":1,"t":6}"#
            + #",{"id":3,"ref":"P","v":1,"t":7}]"#
        #expect(try rows.row(of: "P", among: self.answer(200, found))?.name == "2")
        #expect(try rows.row(of: "Q", among: self.answer(200, found)) == nil)
        #expect(throws: RemoteFailure.self) { try rows.row(of: "P", among: self.answer(500)) }
    }

    @Test func `a page keeps the deletion before the next record with the name, and of one record the later row`() {
        func row(_ pk: String, _ version: JSON, name: String?, isDeleted: Bool = false) -> ServerRow {
            ServerRow(pk: pk, version: version, content: isDeleted ? nil : [:], name: name)
        }
        func shown(_ rows: ServerRow...) -> [String] {
            let page = FeedPage(RowChanges(rows, cursor: nil))
            return page.rows.map { "\(page.pk(of: $0)) \(page.versionText(of: $0))" }
        }
        #expect(
            shown(
                row("P", 1, name: "1"), row("1", 2, name: "1", isDeleted: true), row("T", 3, name: "1"),
                row("T", 4, name: "1")) == ["1 2", "T 4"])
        #expect(shown(row("P", 1, name: nil), row("Q", 1, name: nil), row("P", 2, name: nil)) == ["Q 1", "P 2"])
    }

    @Test func `a place in another member than the version is the cursor of a feed`() throws {
        let rows = RowShape(pk: "id", version: "v", order: "t", overlap: 10)
        let body = #"[{"id":"1","v":"x","t":50},{"id":"2","v":"y","t":60}]"#
        let page = try rows.changes(self.answer(200, body), after: nil, limit: 9, hasMore: false)
        #expect(page.rows.map(\.version) == ["x", "y"])
        #expect(page.cursor == "60" && rows.since(page.cursor) == "50")
        let failure = #expect(throws: RemoteFailure.self) {
            try rows.changes(self.answer(200, #"[{"id":"1","v":1,"t":"soon"}]"#), after: nil, limit: 9)
        }
        #expect(failure?.message.hasPrefix("The “t” “soon” is not a whole number") == true)
    }

    @Test func `the answer to a GET of a row is read by its HTTP status`() throws {
        #expect(try self.rows.row(self.answer(404)) == nil)
        #expect(try self.rows.row(self.answer(200, #"{"id":"1","updated_at":"a"}"#))?.version == "a")
        #expect(throws: RemoteFailure.self) { try self.rows.row(self.answer(200, "{}")) }
        #expect(throws: RemoteFailure.self) { try self.rows.row(self.answer(500)) }
    }

    @Test(arguments: [
        (
            #""sync_state":"EDITED","updated_at":1,"edited_data":[{"op":"replace","path":"/o/a","value":3}]"#,
            #"{"o":{"a":3,"b":2}}"#
        ),
        (
            #""sync_state":"EDITED","updated_at":1,"edited_data":[{"op":"add","path":"/n","value":null}]"#,
            #"{"n":null}"#
        ),
        (#""sync_state":"EDITED","updated_at":1,"edited_data":[{"op":"remove","path":"/t"}]"#, nil),
        (#""sync_state":"EDITED","updated_at":1,"edited_data":[{"op":"remove","path":"/o/a"}]"#, #"{"o":{"b":2}}"#),
        (#""sync_state":"CREATED","edited_data":[{"op":"add","path":"","value":{"a":1}}]"#, nil),
        (#""sync_state":"DELETED","updated_at":1"#, nil),
    ])
    func `the changed members are whole members, and nil if one is removed`(members: String, changed: String?) throws {
        let edit = try self.edit(members, base: #"{"o":{"a":1,"b":2},"t":1.0}"#)
        #expect(try edit.changedMembers()?.text == changed)
    }

    @Test func `a version is plain text, and a pk is a segment of a path`() throws {
        #expect(try self.edit(#""sync_state":"DELETED","updated_at":"W/\"7\"""#).versionText == "W/\"7\"")
        #expect(try self.edit(#""sync_state":"DELETED","updated_at":1.50"#).versionText == "1.50")
        #expect(
            try self.edit(#""sync_state":"CREATED","edited_data":[{"op":"add","path":"","value":{}}]"#).versionText
                == nil)
        #expect("a b/é?.~".pathSegment == "a%20b%2F%C3%A9%3F.~")
    }
}
