import TidemarkAdapters
import TidemarkCore
import TidemarkJSON
import TidemarkTesting

/// The abilities of a server that does less than the reference server.
package struct LesserForm: Hashable, Sendable {
    /// The kinds of servers, as options of the tool.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        /// The server compares no versions: the last write wins.
        case unconditional

        /// A row may become visible behind the cursors of readers.
        case late

        /// There is no feed: the server returns the whole list.
        case list

        /// The server changes values when it stores them.
        case rounding

        /// The seed draws any of the above, also several at once.
        case drawn
    }

    /// The server's check of a write's version.
    enum Condition: Hashable, Sendable {
        case compared
        /// The server has no check, and its remote reads the row before each write.
        case readFirst
        /// As `readFirst`, and the remote also declares that there is no condition.
        case none
    }

    enum Feed: Hashable, Sendable {
        case ordered, late, list
    }

    var condition = Condition.compared
    var feed = Feed.ordered
    var isRounding = false

    /// Whether the remote sends only the changed members; otherwise the whole record.
    var isPatching = false

    /// Whether the answer to a write has the row.
    var answersRows = true

    /// Whether the remote writes all edits with one request.
    var isBatch = false

    /// Whether the server sorts the members of a record.
    var sortsMembers = false

    /// Whether the list begins with the row of the cursor.
    var isInclusive = false

    /// The maximum number of edits in an exchange.
    var batchSize = 20

    /// The maximum number of rows in a page, whatever limit is requested. Fewer than three could end within one version.
    var pageRows = 1_000

    /// The milliseconds that a remote reads again, and more than a row is late.
    static let overlap = 5_000

    /// Draws the abilities. The kind decides which of the guarantees the server can't keep.
    init(_ kind: Kind, seed: UInt64) {
        // Independent of the steps, which have the same seed.
        var generator = SeededGenerator(seed: seed ^ 0x1E55_E25E_12E5)
        func pick<Value>(_ values: [Value]) -> Value { values[Int(generator.next() % UInt64(values.count))] }
        var kinds: Set<Kind> = [kind]
        if kind == .drawn {
            kinds = [pick([.unconditional, .late, .list, .rounding])]
            if pick([true, false]) { kinds.insert(pick([.unconditional, .late, .list, .rounding])) }
        }
        if kinds.contains(.unconditional) { self.condition = pick([.readFirst, .readFirst, .none]) }
        self.feed = kinds.contains(.list) ? .list : kinds.contains(.late) ? .late : .ordered
        self.isRounding = kinds.contains(.rounding)
        self.isPatching = pick([true, false])
        self.answersRows = pick([true, true, false])
        self.isBatch = pick([true, false])
        self.sortsMembers = pick([true, false])
        self.isInclusive = pick([true, false])
        self.batchSize = pick([1, 2, 20])
        self.pageRows = pick([3, 7, 1_000])
    }

    /// The capabilities that an author of a remote would declare for such a server.
    var capabilities: RemoteCapabilities {
        var capabilities = RemoteCapabilities.rows(
            condition: self.declaredCondition,
            serverMembers: [JSONPointer(tokens: ["id"]), JSONPointer(tokens: ["updated_at"])], feed: self.declaredFeed,
            tombstones: self.feed == .list ? .none : .forever, batchSize: self.batchSize)
        if self.isRounding { capabilities.values = .rounded }
        return capabilities
    }

    /// Whether a row may still be read with the overlap after a cursor.
    func isYetToCome(_ version: String?, after cursor: String) -> Bool {
        let end = cursor.split(separator: "+").last.flatMap { Int($0) } ?? 0
        return self.feed == .late && version.flatMap { Int($0) } ?? 0 >= end - Self.overlap
    }

    /// How many requests a device in sync sends. A page in the overlap may have three rows only.
    func quietRequests(_ rows: Int) -> Int { self.feed == .late ? 3 + rows : 2 }

    private var declaredCondition: RemoteCapabilities.Condition {
        switch self.condition {
        case .compared: .atomic
        case .readFirst: .checkedFirst(watch: .zero)
        case .none: .none
        }
    }

    private var declaredFeed: RemoteCapabilities.Feed {
        switch self.feed {
        case .ordered: .ordered
        case .late: .late(.milliseconds(Self.overlap))
        case .list: .listing
        }
    }
}
