/// The change of an account's size by a write.
struct AccountGrowth {
    var rows: Int64 = 0
    var bytes: Int64 = 0

    /// No change.
    init() {}

    /// The change by a write that replaces `row`.
    init(_ write: EditDecision.Write, over row: ServerRow?) {
        let before = row?.data
        let after: [UInt8]? =
            switch write {
            case .create(let data), .replace(let data): data
            case .delete: nil
            }
        self.rows = (after == nil ? 0 : 1) - (before == nil ? 0 : 1)
        self.bytes = Int64(after?.count ?? 0) - Int64(before?.count ?? 0)
    }

    /// Whether the account grows. A record is never empty, so one more record means more bytes.
    var isMore: Bool { self.bytes > 0 }
}

/// The size of an account's data, and its limits.
///
/// Concurrent writes of other processes to other collections of the account are not counted: the account can exceed its quota
/// by their size.
struct AccountQuota {
    private var rows: Int64
    private var bytes: Int64
    private let limits: ServerLimits

    init(_ usage: AccountUsage, limits: ServerLimits) {
        self.rows = Int64(usage.rows)
        self.bytes = Int64(usage.bytes)
        self.limits = limits
    }

    /// Why the account can't grow by `growth`; nil if it can. A write that makes the account smaller is not checked.
    func refusal(of growth: AccountGrowth) -> Problem? {
        if let limit = self.limits.rowsOfAccount, growth.rows > 0, self.rows + growth.rows > limit {
            return Problem(
                413, .quotaExceeded,
                "the account has \(self.rows) records, and may have \(limit); delete some, and send the change again as "
                    + "a new edit")
        }
        if let limit = self.limits.bytesOfAccount, self.bytes + growth.bytes > limit {
            return Problem(
                413, .quotaExceeded,
                "the account has \(self.bytes) bytes of records, and may have \(limit); the edit adds \(growth.bytes): delete "
                    + "something, and send the change again as a new edit")
        }
        return nil
    }

    /// Counts a write.
    mutating func add(_ growth: AccountGrowth) {
        self.rows += growth.rows
        self.bytes += growth.bytes
    }
}
