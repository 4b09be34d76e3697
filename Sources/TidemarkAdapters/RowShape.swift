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
    /// The member with the server's name of the row, such as an integer id; nil if the pk is the name.
    public let name: String?

    /// The member with the pk: a text that the client sends with a create. A row without it has its name as the pk.
    public let pk: String

    /// The member with the version: a number or a string.
    public let version: String

    /// The member by which the feed is sorted, such as a time; the version, unless the server has both.
    public let order: String

    /// The member that marks a tombstone: `true`, a time, or a number other than 0; nil if there is none.
    public let deleted: String?

    /// How much is read again from the cursor: for servers that take a time before they commit (`.late`). In the unit of the
    /// ``order``, such as milliseconds, if it has whole numbers; in microseconds if it has times. Zero if the feed is in the order
    /// of commits, and no two rows have the same place in it.
    public let overlap: Int

    /// Whether the order is by times of RFC 3339.
    let hasTimes: Bool

    /// Makes a shape from the names of the members.
    ///
    /// ```swift
    /// let jobs = RowShape(name: "id", pk: "ref", version: "version", order: "updated_at", deleted: "deleted")
    /// ```
    ///
    /// - Parameters:
    ///   - name: For a server that names the rows; declare `names: .member` with the pointer of the pk. If the server has no
    ///     member for the pk, give the same member as the pk, and declare `names: .server`.
    ///   - order: If the feed is not sorted by version.
    ///   - overlap: In the unit of the order. If it is not 0, it must be whole numbers; with 0 it can have any form.
    public init(
        name: String? = nil, pk: String, version: String, order: String? = nil, deleted: String? = nil,
        overlap: Int = 0
    ) {
        self.name = name
        self.pk = pk
        self.version = version
        self.order = order ?? version
        self.deleted = deleted
        self.overlap = overlap
        self.hasTimes = false
    }

    /// Names the members of rows that are sorted by times of RFC 3339, such as `2026-01-02T03:04:05.678Z`.
    ///
    /// Times are compared to the microsecond. ``since(_:)`` is a time in UTC with three or six digits after the seconds.
    public init(
        name: String? = nil, pk: String, version: String, order: String? = nil, deleted: String? = nil,
        overlap: Duration
    ) {
        self.name = name
        self.pk = pk
        self.version = version
        self.order = order ?? version
        self.deleted = deleted
        self.overlap = Int(overlap / .microseconds(1))
        self.hasTimes = true
    }

    // MARK: Rows

    /// Reads a row.
    ///
    /// - Returns: Nil if it is malformed: no object, or without pk (or name) or version, or with a pk that is no text if the
    ///   server makes the names.
    public func row(_ json: JSON) -> ServerRow? {
        guard json.object != nil, let pk = self.pk(of: json), let version = json[self.version],
            version.string != nil || version.number != nil
        else { return nil }
        return ServerRow(
            pk: pk, version: version, content: self.isDeleted(json) ? nil : json, name: self.name(of: json))
    }

    func name(of json: JSON) -> String? {
        self.name.flatMap { json[$0] }.flatMap { $0.string ?? $0.number?.text }
    }

    func pk(of json: JSON) -> String? {
        guard self.name != nil, self.name != self.pk else {
            return json[self.pk].flatMap { $0.string ?? $0.number?.text }
        }
        guard let name = self.name(of: json) else { return nil }
        guard let pk = json[self.pk], !pk.isNull else { return name }
        return pk.string
    }

    /// Reads the row with a pk in the answer to a search, for ``RowServer/find(_:in:)``.
    ///
    /// - Parameter list: The member with the array of rows; nil if the body is the array.
    /// - Returns: The first row that has the pk and is not deleted; nil if there is none.
    /// - Throws: As ``changes(_:in:after:limit:hasMore:)``.
    public func row(of pk: String, among answer: HTTPAnswer, in list: String? = nil) throws(RemoteFailure) -> ServerRow?
    {
        if let failure = RemoteFailure(answer) { throw failure }
        let found = try self.rows(answer, in: list)
        return found.rows.first { CodePointString($0.pk) == CodePointString(pk) && $0.content != nil }
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
        guard let json = try? JSON(parsing: answer.body) else {
            throw RemoteFailure(.invalidAnswer, "The server's row is not JSON.")
        }
        guard let row = self.row(json) else {
            throw RemoteFailure(.invalidAnswer, "The server's row is malformed: \(self.missing(in: json)).")
        }
        return row
    }

    /// The row of an edit in an answer; nil if the body is another document, such as a problem.
    private func row(in answer: HTTPAnswer, of edit: UploadRequest) -> ServerRow? {
        guard let row = self.row(in: answer) else { return nil }
        // If no member has the pk, only the name shows the record, and a create has no name yet.
        guard self.name == self.pk else { return CodePointString(row.pk) == CodePointString(edit.pk) ? row : nil }
        return edit.name.map { CodePointString($0) == CodePointString(row.pk) } ?? true ? row : nil
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
