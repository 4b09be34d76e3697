public import TidemarkCore
import TidemarkHTTP
public import TidemarkHTTPClient
import TidemarkJSON

// The feed of the server: pages, the cursor between them, and whole lists.

extension RowShape {
    /// The value of the cursor in the request for changes: the place in the ``order`` that was read last, less the overlap. Nil at
    /// the start.
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
            "The “\(self.order)” “\(version)” is not a \(self.hasTimes ? "time of RFC 3339" : "whole number"), so no overlap can be read "
                + "again. \(advice)")
    }

    private func text(of number: Int) -> String {
        self.hasTimes ? Timestamp(microsecondsSince1970: number).text : String(number)
    }

    /// Reads a page of rows that the server sorts by ``order``.
    ///
    /// - Parameters:
    ///   - list: The member with the array of rows; nil if the body is the array.
    ///   - cursor: The cursor of the request.
    ///   - limit: The limit of the request.
    ///   - hasMore: Whether the server says that there are more rows. Nil if it does not: a server may return fewer rows than
    ///     `limit`, so the feed is read until a page moves no further.
    /// - Throws: `RemoteFailure` for a status that is not 2xx, for a body without the array, and if all rows of a full page have
    ///   the same place in the order: then no request can read on.
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
                throw Self.stuck("None of the \(list.count) rows of a page has the member “\(self.order)”.")
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
                "All rows of a page of \(limit) have the “\(self.order)” “\(version)”, so the next page would be the same."
            )
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
            "\(reason) Raise the page limit, or let the server sort by a member whose value no two rows share.",
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

    /// The maximum nesting of a list: an item that is nested deeper than a record may be is malformed, and does not block the
    /// others.
    private static var deepestList: Int { 1_024 }

    /// Reads the items of a body.
    func rows(_ answer: HTTPAnswer, in list: String?) throws(RemoteFailure) -> Items {
        let body: JSON
        do {
            body = try JSON(parsing: answer.body, limits: JSON.Limits(nestingDepth: Self.deepestList))
        } catch {
            throw RemoteFailure(.invalidAnswer, "The server's list is not JSON: \(error).")
        }
        guard let items = (list.map { body[$0] } ?? body)?.array else {
            throw RemoteFailure(.invalidAnswer, "The server's list is not an array\(list.map { " in “\($0)”" } ?? "").")
        }
        var found = Items(count: items.count)
        for item in items {
            if let place = item[self.order], let text = place.string ?? place.number?.text {
                found.versions.append(text)
            }
            guard let row = self.row(item) else {
                let pk =
                    item[self.name ?? self.pk].flatMap { $0.string ?? $0.number?.text }
                    ?? "item \(item.text.cut(after: 60))"
                found.malformed.append(
                    QuarantinedItem(pk: pk, reason: "the server's item is malformed: \(self.missing(in: item))"))
                continue
            }
            found.rows.append(row)
        }
        return found
    }

    /// The items of a body.
    struct Items {
        var rows: [ServerRow] = []
        var malformed: [QuarantinedItem] = []

        /// The places in the order of the feed of all items that have one, also of malformed ones.
        var versions: [String] = []

        let count: Int

        init(count: Int) {
            self.count = count
        }
    }

    /// Why an item is no row.
    func missing(in item: JSON) -> String {
        guard item.object != nil else { return "it is not an object" }
        if let name, self.name(of: item) == nil { return "it has no “\(name)”" }
        if self.name != nil, self.pk(of: item) == nil { return "its “\(self.pk)” is not a string" }
        return self.name == nil && item[self.pk] == nil ? "it has no “\(self.pk)”" : "it has no “\(self.version)”"
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
