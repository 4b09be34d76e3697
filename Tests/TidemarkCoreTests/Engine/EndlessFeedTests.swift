import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

/// A feed without an end is not followed indefinitely (I8, Contract §3.7).
@Suite struct EndlessFeedTests {
    let clock = ManualClock()
    let phone: Device

    init() throws {
        var configuration = SyncConfiguration()
        configuration.limits.knownRows = Self.knownRows
        self.phone = try Device("phone", seed: 1, clock: self.clock, configuration: configuration)
    }

    private static let knownRows = 20

    private static func item(_ version: Int) -> String {
        #"{"pk":"42","updated_at":\#(version),"is_active":true,"data":{}}"#
    }

    private static func oddItem(_ pk: Int) -> String {
        #"{"pk":"\#(pk)","updated_at":1,"is_active":true,"data":7}"#
    }

    /// Answers until the phone sends no more requests.
    ///
    /// - Parameter answer: The items and the cursor of each page, from 1 on.
    /// - Returns: The number of pages.
    private func pages(_ answer: (Int) -> (items: String, cursor: String)) throws -> Int {
        try self.phone.sync(SyncScenario.collection)
        var count = 0
        while !self.phone.outbox.isEmpty {
            count += 1
            guard count < 2_000 else { return count }
            let page = answer(count)
            try self.phone.answerNext(
                answerBody(items: page.items, cursor: #""\#(page.cursor)""#, more: "true"))
        }
        return count
    }

    @Test func `endless-pages: a few pages with new cursors and no items are a failure (X6)`() throws {
        let count = try self.pages { ("", "w\($0)") }
        #expect(count <= 10)
        #expect(self.phone.reports.last?.outcome == .unreachable)
        #expect(self.phone.reports.last?.failure?.failureClass == .invalidAnswer)
        #expect(self.phone.reports.last?.nextTry != nil)
    }

    @Test(arguments: [1, 2, 7])
    func `known rows with ever new cursors are a failure at a limit (X6, I8)`(page: Int) throws {
        let rows = (1...page).map { #"{"pk":"\#($0)","updated_at":1,"is_active":true,"data":{}}"# }
        let count = try self.pages { (rows.joined(separator: ","), "w\($0)") }
        // The rows of the first page are new.
        #expect(count == 1 + (page + Self.knownRows) / page + 1)
        #expect(self.phone.reports.last?.failure?.failureClass == .invalidAnswer)
        #expect(self.phone.reports.last?.cursor == "w\(count)")
        let message = try #require(self.phone.reports.last?.failure?.message)
        #expect(message.contains("“notes”"), "\(message)")
        #expect(message.contains("There are \(page) records here"), "\(message)")
        #expect(message.contains("\((count - 1) * page) rows that are stored here already"), "\(message)")
        #expect(message.contains("SyncLimits.knownRows"), "\(message)")
    }

    @Test func `an endless full resync of known rows is a failure, too (X6, I8)`() throws {
        try self.phone.sync(SyncScenario.collection)
        try self.phone.answerNext(answerBody(items: Self.item(1)))
        try self.phone.sync(SyncScenario.collection)
        try self.phone.failNext(RemoteFailure(.historyLost, "410"))
        let count = try self.pages { (Self.item(1), "w\($0)") }
        #expect(count == 1 + Self.knownRows + 1)
        #expect(self.phone.reports.last?.failure?.failureClass == .invalidAnswer)
    }

    @Test func `deletions of records that are not here count as new rows (X6, I8)`() throws {
        try self.phone.sync(SyncScenario.collection)
        for number in 1...5 * Self.knownRows {
            try self.phone.answerNext(
                answerBody(
                    items: #"{"pk":"\#(number)","updated_at":\#(number),"is_active":false}"#,
                    cursor: #""w\#(number)""#, more: "true"))
        }
        try self.phone.answerNext(answerBody(items: "", cursor: #""w""#))
        #expect(self.phone.reports.last?.outcome == .inSync)
    }

    @Test func `endless-pages: a quarantined malformed item counts as a known row (X6)`() throws {
        for _ in 1...3 {
            try self.phone.sync(SyncScenario.collection)
            try self.phone.answerNext(answerBody(items: Self.oddItem(1)))
        }
        #expect(self.phone.reports.last?.outcome == .held)
        let count = try self.pages { (Self.oddItem(1), "w\($0)") }
        #expect(count == Self.knownRows + 1)
        #expect(self.phone.reports.last?.failure?.failureClass == .invalidAnswer)
    }

    @Test func `known rows on the pages of POSTs do not count, however many POSTs there are (I8)`() throws {
        var configuration = SyncConfiguration()
        configuration.limits.knownRows = Self.knownRows
        configuration.limits.batchSize = 1
        let phone = try Device("phone", seed: 1, clock: self.clock, configuration: configuration)
        let overlap = (1...3).map { #"{"pk":"\#($0)","updated_at":1,"is_active":true,"data":{}}"# }
            .joined(separator: ",")
        try phone.sync(SyncScenario.collection)
        try phone.answerNext(answerBody(items: overlap, cursor: #""w0""#))
        let count = 2 * Self.knownRows
        for number in 1...count { try phone.create(["n": 1], pk: "new \(number)") }
        try phone.sync(SyncScenario.collection)
        var posts = 0
        while let edit = phone.outbox.first?.request.encodedEdit.first {
            posts += 1
            let edit = try JSON(parsing: edit)
            let (id, pk) = try (#require(edit["request_id"]?.string), #require(edit["pk"]?.string))
            let item = #"{"pk":"\#(pk)","updated_at":2,"is_active":true,"data":{"n":1}}"#
            let result =
                #"{"request_id":"\#(id)","pk":"\#(pk)","is_conflicted":false,"item":\#(item),"error":null}"#
            try phone.answerNext(
                answerBody(results: result, items: overlap, cursor: #""w\#(posts)""#, more: "true"))
        }
        #expect(posts == count)
        try phone.answerNext(answerBody(items: overlap, cursor: #""w""#))
        #expect(phone.reports.last?.outcome == .inSync)
    }

    @Test(arguments: [2, 3, 50, 400])
    func `endless-pages: a repeated cursor is a failure, however long the cycle (X6)`(length: Int) throws {
        let count = try self.pages { (Self.item($0), "w\($0 % length)") }
        #expect(count <= 3 * length)
        #expect(self.phone.reports.last?.failure?.failureClass == .invalidAnswer)
    }

    @Test(arguments: [1, 40, 200])
    func `endless-pages: a cycle that begins late is a failure within three times the pages (X6, I8)`(
        start: Int
    ) throws {
        let count = try self.pages { (Self.item($0), $0 < start ? "w\($0)" : "w\(start + $0 % 2)") }
        #expect(count <= 3 * (start + 2))
        #expect(self.phone.reports.last?.failure?.failureClass == .invalidAnswer)
    }

    /// The row of each page of a feed whose cursors repeat. None of them is a known row.
    enum NewRow: CaseIterable {
        /// A deletion of a record that this device never had.
        case tombstone

        /// A record that alternates between two versions.
        case alternating

        func item(_ page: Int) -> String {
            switch self {
            case .tombstone: #"{"pk":"\#(page)","updated_at":\#(page),"is_active":false}"#
            case .alternating:
                #"{"pk":"42","updated_at":\#(page % 2),"is_active":true,"data":{"n":\#(page % 2)}}"#
            }
        }
    }

    @Test(arguments: [2, 3, 50, 400], NewRow.allCases)
    func `endless-pages: a cycle of rows that are always new is a failure (X6, I8)`(length: Int, row: NewRow) throws {
        let count = try self.pages { (row.item($0), "w\($0 % length)") }
        #expect(count <= 3 * length)
        #expect(self.phone.reports.last?.failure?.failureClass == .invalidAnswer)
        #expect(self.phone.reports.last?.nextTry != nil)
    }

    @Test func `endless-pages: a feed may have a few pages without an item (X6)`() throws {
        try self.phone.sync(SyncScenario.collection)
        for number in 1...12 {
            try self.phone.answerNext(
                answerBody(
                    items: number.isMultiple(of: 3) ? Self.item(number) : "", cursor: #""w\#(number)""#,
                    more: "true"))
        }
        try self.phone.answerNext(answerBody(items: "", cursor: #""w99""#))
        #expect(self.phone.reports.last?.outcome == .inSync)
        #expect(self.phone.reports.last?.cursor == "w99")
    }

    @Test func `the back-off grows while the feed's cursors repeat (X6)`() throws {
        var longest = Duration.zero
        for _ in 1...12 {
            _ = try self.pages { (Self.item(1), "w\($0 % 2)") }
            longest = max(longest, try #require(self.phone.reports.last?.nextTry) - self.clock.now)
        }
        #expect(longest > .seconds(10))
    }

    @Test func `the back-off grows while every page has only malformed items (X6)`() throws {
        var longest = Duration.zero
        for _ in 1...30 {
            try self.phone.sync(SyncScenario.collection)
            while let sent = self.phone.outbox.first {
                let number = sent.request.cursor.flatMap { Int($0) } ?? 0
                try self.phone.answerNext(
                    answerBody(items: Self.oddItem(number), cursor: #""\#(number + 1)""#, more: "true"))
            }
            longest = max(longest, try #require(self.phone.reports.last?.nextTry) - self.clock.now)
        }
        #expect(longest > .seconds(10))
    }
}
