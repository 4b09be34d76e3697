public import TidemarkCore
import TidemarkHTTP
public import TidemarkHTTPClient
public import TidemarkJSON

/// The form of a server's rows in JSON over HTTP: the members with the pk, the version and the mark of a deletion.
///
/// ```swift
/// let rows = RowShape(pk: "id", version: "updated_at", deleted: "deleted")
/// let page = try rows.changes(HTTPAnswer(status: 200, body: body), in: "items", after: nil, limit: 500)
/// ```
///
/// The whole row is the record: declare its server members (`RemoteCapabilities.serverMembers`), such as id and times.
public struct RowShape: Sendable {
    /// The member with the pk.
    public let pk: String

    /// The member with the version: a number or a string.
    public let version: String

    /// The member that marks a tombstone: `true`, a time, or a number other than 0; nil if there is none.
    public let deleted: String?

    /// How much is read again from the cursor: for servers that take a time before they commit (`.late`). In the unit of the
    /// version, such as milliseconds, if the versions are whole numbers; in microseconds if they are times. Zero if the feed is
    /// in the order of commits, and no two rows have the same version.
    public let overlap: Int

    /// Whether the versions are times of RFC 3339.
    private let hasTimes: Bool

    /// Makes a shape from the names of the members.
    ///
    /// - Parameter overlap: In the unit of the version. If it is not 0, versions must be whole numbers; with 0 they can have any
    ///   form.
    public init(pk: String, version: String, deleted: String? = nil, overlap: Int = 0) {
        self.pk = pk
        self.version = version
        self.deleted = deleted
        self.overlap = overlap
        self.hasTimes = false
    }

    /// Names the members of rows whose versions are times of RFC 3339, such as `2026-01-02T03:04:05.678Z`.
    ///
    /// Times are compared to the microsecond. ``since(_:)`` is a time in UTC with three or six digits after the seconds.
    public init(pk: String, version: String, deleted: String? = nil, overlap: Duration) {
        self.pk = pk
        self.version = version
        self.deleted = deleted
        self.overlap = Int(overlap / .microseconds(1))
        self.hasTimes = true
    }

    // MARK: Rows

    /// Reads a row.
    ///
    /// - Returns: Nil if it is malformed: no object, or without pk or version.
    public func row(_ json: JSON) -> ServerRow? {
        guard json.object != nil, let pk = json[self.pk].flatMap({ $0.string ?? $0.number?.text }),
            let version = json[self.version], version.string != nil || version.number != nil
        else { return nil }
        return ServerRow(pk: pk, version: version, content: self.isDeleted(json) ? nil : json)
    }

    /// `true`, a time, and a number other than 0 mark a deletion.
    private func isDeleted(_ json: JSON) -> Bool {
        guard let mark = self.deleted.flatMap({ json[$0] }), !mark.isNull else { return false }
        return mark.bool ?? mark.int.map { $0 != 0 } ?? mark.string.map { !$0.isEmpty } ?? true
    }

    /// Reads the row of an answer to GET.
    ///
    /// - Returns: Nil for 404 and 410.
    /// - Throws: `RemoteFailure` for another status, and for a body that is no row.
    public func row(_ answer: HTTPAnswer) throws(RemoteFailure) -> ServerRow? {
        guard answer.status != 404, answer.status != 410 else { return nil }
        if let failure = RemoteFailure(answer) { throw failure }
        guard let row = self.row(in: answer) else {
            throw RemoteFailure(.invalidAnswer, "The server's row has no “\(self.pk)”, or no “\(self.version)”.")
        }
        return row
    }

    /// The row of an edit in an answer; nil if the body is another document, such as a problem.
    private func row(in answer: HTTPAnswer, of edit: UploadRequest) -> ServerRow? {
        self.row(in: answer).flatMap { CodePointString($0.pk) == CodePointString(edit.pk) ? $0 : nil }
    }

    /// The row that an edit wrote, if the answer has all of its members: some servers return only the id and the version.
    private func written(in answer: HTTPAnswer, by edit: UploadRequest) -> ServerRow? {
        guard let row = self.row(in: answer, of: edit) else { return nil }
        if edit.intent == .delete { return row.content == nil ? row : nil }
        guard let content = row.content?.object, let sent = (try? edit.record())?.object else { return nil }
        return sent.keys.allSatisfy { content[$0] != nil } ? row : nil
    }

    private func row(in answer: HTTPAnswer) -> ServerRow? {
        (try? JSON(parsing: answer.body)).flatMap { self.row($0) }
    }

    // MARK: Writes

    /// Reads the answer to the write of one row, by its status: 2xx accepted, 202 unknown, 409 and 412 conflicted, 404 and
    /// 410 a record that is gone, another 4xx refused. The reason of a refusal is the first text among the members `detail`,
    /// `title`, `message`, `reason` and `error` of the body.
    ///
    /// - Throws: `RemoteFailure` for 401, 403, 5xx and the like.
    public func answer(_ answer: HTTPAnswer, to edit: UploadRequest) throws(RemoteFailure) -> RowAnswer {
        switch answer.status {
        case 202: return .unknown
        case 304: throw RemoteFailure(.invalidAnswer, "The server answered a write with status 304.", blame: .server)
        // The account may not write at all: that is no judgment about the edit.
        case 403: if let failure = RemoteFailure(answer) { throw failure }
        case 409, 412: return .conflicted(self.row(in: answer, of: edit))
        case 404, 410:
            switch edit.intent {
            case .delete: return .accepted(nil)
            case .edit: return .conflicted(nil)
            case .create: break
            }
        default: break
        }
        if answer.meaning == .refused {
            return .refused(
                status: answer.status, answer.reason ?? "The server refused the edit (status \(answer.status)).")
        }
        if let failure = RemoteFailure(answer) { throw failure }
        return .accepted(self.written(in: answer, by: edit))
    }

    // MARK: Changes

    /// The value of the cursor in the request for changes: the version that was read last, less the overlap. Nil at the start.
    public func since(_ cursor: String?) -> String? {
        guard let start = self.start(cursor) else { return cursor }
        return self.text(of: start)
    }

    /// The version of ``since(_:)`` as a number; nil if there is no overlap, and at the start.
    private func start(_ cursor: String?) -> Int? {
        guard self.overlap > 0, let place = cursor.flatMap({ FeedPlace($0) }) else { return nil }
        return place.base == nil ? self.beginning(of: place.version) : place.version
    }

    /// The beginning of the overlap before a version.
    private func beginning(of version: Int) -> Int { min(version, max(version - self.overlap, 0)) }

    /// A version with an overlap, as a number.
    private func number(of version: String) throws(RemoteFailure) -> Int {
        let number = self.hasTimes ? Timestamp(version)?.microsecondsSince1970 : Int(version)
        if let number { return number }
        let advice =
            self.hasTimes
            ? "For whole numbers, give the overlap in their unit, such as `overlap: 5_000`."
            : "For times of RFC 3339, give it as a duration, such as `overlap: .seconds(5)`."
        throw RemoteFailure(
            .invalidAnswer,
            "The version “\(version)” is not a \(self.hasTimes ? "time of RFC 3339" : "whole number"), so no overlap can be read "
                + "again. \(advice)")
    }

    private func text(of number: Int) -> String {
        self.hasTimes ? Timestamp(microsecondsSince1970: number).text : String(number)
    }

    /// Reads a page of rows that the server sorts by version.
    ///
    /// - Parameters:
    ///   - list: The member with the array of rows; nil if the body is the array.
    ///   - cursor: The cursor of the request.
    ///   - limit: The limit of the request.
    ///   - hasMore: Whether the server says that there are more rows. Nil if it does not: a server may return fewer rows than
    ///     `limit`, so the feed is read until a page has no new version.
    /// - Throws: `RemoteFailure` for a status that is not 2xx, for a body without the array, and if all rows of a full page have
    ///   the same version: then no request can read on.
    public func changes(
        _ answer: HTTPAnswer, in list: String? = nil, after cursor: String?, limit: Int, hasMore: Bool? = nil
    ) throws(RemoteFailure) -> RowChanges {
        if let failure = RemoteFailure(answer) { throw failure }
        var list = try self.rows(answer, in: list)
        if self.overlap > 0 {
            for place in list.versions.indices {
                list.versions[place] = String(try self.number(of: list.versions[place]))
            }
        }
        let since = self.start(cursor).map { String($0) } ?? cursor
        guard let last = list.versions.last else {
            guard hasMore != true, list.count < limit else {
                throw Self.stuck("None of the \(list.count) rows of a page has a version.")
            }
            return self.end(list, at: nil, after: cursor)
        }
        let isEnd = hasMore.map { !$0 } ?? list.versions.allSatisfy { $0 == since }
        guard !isEnd || hasMore == nil && list.count >= limit else { return self.end(list, at: last, after: cursor) }
        guard list.count >= limit || hasMore == true else {
            return self.page(list, from: last, after: cursor, isPassed: false)
        }
        guard last != since, list.versions.contains(where: { $0 != last }) || list.count < 3 else {
            let version = self.overlap > 0 ? Int(last).map { self.text(of: $0) } ?? last : last
            throw Self.stuck(
                "All rows of a page of \(limit) have the version “\(version)”, so the next page would be the same.")
        }
        // A server that returns the row of the cursor again also returns all rows with the last version again.
        let former = list.versions.last(where: { $0 != last })
        let next = former.flatMap { $0 == since ? nil : $0 } ?? last
        return self.page(list, from: next, after: cursor, isPassed: self.passes(next, since))
    }

    /// A page with more after it. The overlap is read again from its cursor, unless that would return the same page, or rows
    /// have been passed without it.
    private func page(_ list: Items, from version: String, after cursor: String?, isPassed: Bool) -> RowChanges {
        var next = version
        if self.overlap > 0, let number = Int(version) {
            let former = cursor.flatMap { FeedPlace($0) }
            var place = FeedPlace(version: number, end: former?.end ?? 0)
            if !isPassed || former?.base != nil { place.base = former?.base ?? number }
            next = place.text
        }
        return RowChanges(list.rows, malformed: list.malformed, cursor: next, hasMore: true)
    }

    /// The last page. If it is beyond the last overlap, rows may have become visible between the two: then the next request
    /// begins at that overlap again, unless the page has no row that is newer than its beginning.
    private func end(_ list: Items, at last: String?, after cursor: String?) -> RowChanges {
        var next = last ?? cursor
        if self.overlap > 0, let former = cursor.flatMap({ FeedPlace($0) }) {
            var place = FeedPlace(version: last.flatMap { Int($0) } ?? former.version, end: 0)
            if let base = former.base, place.version > max(base, former.end) {
                place = FeedPlace(version: base, end: place.version)
            }
            next = place.text
        }
        return RowChanges(list.rows, malformed: list.malformed, cursor: next, hasMore: false)
    }

    /// Whether a request from the version, less the overlap, begins after the last request.
    private func passes(_ version: String, _ since: String?) -> Bool {
        guard self.overlap > 0, let number = Int(version) else { return true }
        return self.beginning(of: number) > since.flatMap { Int($0) } ?? -1
    }

    private static func stuck(_ reason: String) -> RemoteFailure {
        RemoteFailure(
            .invalidAnswer,
            "\(reason) Raise the page limit, or let the server sort by a version that no two rows share.",
            blame: .server)
    }

    /// Reads all rows of a collection.
    ///
    /// - Throws: As ``changes(_:in:after:limit:)``.
    public func list(_ answer: HTTPAnswer, in list: String? = nil) throws(RemoteFailure) -> RowChanges {
        if let failure = RemoteFailure(answer) { throw failure }
        guard answer.status != 206 else {
            throw RemoteFailure(.invalidAnswer, "The server returned a part of the list (status 206).", blame: .server)
        }
        let list = try self.rows(answer, in: list)
        return .list(list.rows, malformed: list.malformed)
    }

    private func rows(
        _ answer: HTTPAnswer, in list: String?
    ) throws(RemoteFailure) -> Items {
        let body: JSON
        do {
            body = try JSON(parsing: answer.body)
        } catch {
            throw RemoteFailure(.invalidAnswer, "The server's list is not JSON: \(error).")
        }
        guard let items = (list.map { body[$0] } ?? body)?.array else {
            throw RemoteFailure(.invalidAnswer, "The server's list is not an array\(list.map { " in “\($0)”" } ?? "").")
        }
        var found = Items(count: items.count)
        for item in items {
            if let version = item[self.version], let text = version.string ?? version.number?.text {
                found.versions.append(text)
            }
            guard let row = self.row(item) else {
                let pk =
                    item[self.pk].flatMap { $0.string ?? $0.number?.text } ?? "item \(String(item.text.prefix(60)))"
                found.malformed.append(
                    QuarantinedItem(pk: pk, reason: "the server's item is malformed: \(self.missing(in: item))"))
                continue
            }
            found.rows.append(row)
        }
        return found
    }

    /// The items of a body.
    private struct Items {
        var rows: [ServerRow] = []
        var malformed: [QuarantinedItem] = []

        /// The versions of all items that have one, also of malformed ones.
        var versions: [String] = []

        let count: Int

        init(count: Int) {
            self.count = count
        }
    }

    private func missing(in item: JSON) -> String {
        guard item.object != nil else { return "it is not an object" }
        return item[self.pk] == nil ? "it has no “\(self.pk)”" : "it has no “\(self.version)”"
    }
}

/// A place in a feed whose rows may be late: the cursor of a shape with an overlap, as `version`, `version+base` or
/// `version/end`.
private struct FeedPlace {
    /// The version that was read last.
    var version: Int

    /// The version from which the overlap was read last; nil if it is read again from ``version``. A row that became visible
    /// since has at least this version less the overlap.
    var base: Int?

    /// The end of the feed at an earlier request. Up to it no row has been passed.
    var end: Int

    init(version: Int, end: Int) {
        self.version = version
        self.end = end
    }

    init?(_ text: String) {
        // own text: digits, “+” and “/”, and any other text is none.
        let parts = text.split(separator: "/", maxSplits: 1)
        // own text: as above.
        let versions = parts.first?.split(separator: "+", omittingEmptySubsequences: false) ?? []
        guard let version = versions.first.flatMap({ Int($0) }) else { return nil }
        self.version = version
        if versions.count > 1 { self.base = Int(versions[1]) ?? version }
        self.end = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        if self.base == nil { self.end = max(self.end, version) }
    }

    var text: String {
        let base = self.base.map { $0 == self.version ? "+" : "+\($0)" } ?? ""
        return "\(self.version)\(base)\(self.end > self.base ?? self.version ? "/\(self.end)" : "")"
    }
}

extension String {
    /// The string as a segment of a path: percent-encoded, also `/`.
    ///
    /// ```swift
    /// let request = HTTPRequest("GET", "/notes/\("a/b".pathSegment)")             // /notes/a%2Fb
    /// ```
    public var pathSegment: String {
        var text = ""
        for byte in self.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.utf8.count < 2 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return text
    }
}
