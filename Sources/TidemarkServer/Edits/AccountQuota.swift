/// By how much a write changes what its account has.
struct AccountGrowth {
    var rows: Int64 = 0
    var bytes: Int64 = 0

    /// None.
    init() {}

    /// That of a write over the row that is there.
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

    /// Whether there is more than before: a record has bytes, so that one record more is more bytes.
    var isMore: Bool { self.bytes > 0 }
}

/// What an account has, and how much it may have.
///
/// What other processes write to other collections of the account at the same moment is not seen: an account can get over its
/// quota by that much.
struct AccountQuota {
    private var rows: Int64
    private var bytes: Int64
    private let limits: ServerLimits

    init(_ usage: AccountUsage, limits: ServerLimits) {
        self.rows = Int64(usage.rows)
        self.bytes = Int64(usage.bytes)
        self.limits = limits
    }

    /// Why it can't grow by so much; nil where it can. What makes less of it is not asked about, however much there is.
    func refusal(of growth: AccountGrowth) -> Problem? {
        if let limit = self.limits.rowsOfAccount, growth.rows > 0, self.rows + growth.rows > limit {
            return Problem(
                413, .quotaExceeded,
                "the account has \(self.rows) records, and may have \(limit); delete some, and send the edit again")
        }
        if let limit = self.limits.bytesOfAccount, self.bytes + growth.bytes > limit {
            return Problem(
                413, .quotaExceeded,
                "the account has \(self.bytes) bytes of records, and may have \(limit); the edit adds \(growth.bytes): delete "
                    + "something, and send it again")
        }
        return nil
    }

    /// Takes note of what was written.
    mutating func add(_ growth: AccountGrowth) {
        self.rows += growth.rows
        self.bytes += growth.bytes
    }
}
