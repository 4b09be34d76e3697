import TidemarkRules

/// The last transitions, stored as lines of a trace's text: one setting for several lines, so that a transaction writes one
/// small setting together with the changes that it describes.
struct TraceRing {
    /// The number of stored transitions; nil if no trace is kept.
    let limit: Int?

    /// The steps outside a transaction, which the next transaction writes.
    var waiting: [SyncTrace.Step] = []

    /// The stored part; nil before it was read.
    private var kept: Kept?

    /// The range of stored settings, and the content of the last one.
    fileprivate struct Kept {
        /// The numbers of the settings; empty if the store has no trace.
        var values: Range<Int64> = 0..<0

        /// The number of the last line.
        var number: Int64 = 0

        /// The lines of the last setting, unless it is full.
        var lines: [UInt8] = []
    }

    /// - Parameter store: Has the trace that a guest continues.
    init(_ configuration: SyncConfiguration, in store: any RecordStore) throws(TidemarkError) {
        if configuration.isGuest {
            // The owner's limit is unknown, and its trace may have just begun: so it keeps the settings that it has, or grows to
            // many lines. The owner applies its limit again at its next transaction.
            let stored = try Self.values(in: store)
            self.limit = stored.isEmpty ? nil : max((stored.count - 1) * Self.linesPerValue, Self.guestLines)
        } else {
            self.limit = configuration.traceLimit.map { max(1, $0) }
        }
    }

    /// The number of lines up to which a guest makes a trace longer.
    static let guestLines = 1_024

    /// The number of lines in a setting: so few that SQLite stores it within one page, and a transaction writes one page.
    static let linesPerValue = 8

    // The setting with the range of the numbered settings: `7..12`.
    private static let rangeKey = "trace"

    fileprivate static func key(_ value: Int64) -> String { "trace/\(value)" }

    /// Writes steps, within the transaction in which they happened.
    mutating func write(_ steps: [SyncTrace.Step], to store: any RecordStore) throws(TidemarkError) {
        guard self.kept == nil || !steps.isEmpty || !self.waiting.isEmpty else { return }
        var kept = if let kept = self.kept { kept } else { try Self.open(store) }
        defer { self.kept = kept }
        guard let limit else {
            // Without a limit a stored trace is removed, because it would have a gap from now on.
            guard !kept.values.isEmpty else { return }
            try kept.erase(in: store)
            return try store.set(Self.rangeKey, to: nil)
        }
        let all = self.waiting + steps
        self.waiting = []
        let former = kept.values
        // The old lines are removed too if there are more new steps than the limit: there would be a gap.
        if all.count > limit { try kept.erase(in: store) }
        for step in all.suffix(limit) { try kept.append(step, in: store) }
        try kept.save(in: store)
        let count = Int64((limit + Self.linesPerValue - 1) / Self.linesPerValue) + 1
        while kept.values.count > count { try kept.dropFirst(in: store) }
        guard kept.values != former else { return }
        try store.set(Self.rangeKey, to: "\(kept.values.lowerBound)..\(kept.values.upperBound)")
    }

    private static func open(_ store: any RecordStore) throws(TidemarkError) -> Kept {
        var kept = Kept()
        kept.values = try Self.values(in: store)
        guard let last = kept.values.last, let text = try store.setting(Self.key(last)) else { return kept }
        let lines = Array(text.utf8)
        kept.number = last * Int64(Self.linesPerValue) + Int64(lines.count { $0 == UInt8(ascii: "\n") })
        kept.lines = kept.number.isMultiple(of: Int64(Self.linesPerValue)) ? [] : lines
        return kept
    }

    private static func values(in store: any RecordStore) throws(TidemarkError) -> Range<Int64> {
        // own text: as it was saved here
        let ends = try store.setting(Self.rangeKey)?.split(separator: ".").compactMap { Int64($0) } ?? []
        guard ends.count == 2, ends[0] >= 0, ends[0] < ends[1], ends[1] < 1 << 48 else { return 0..<0 }
        return ends[0]..<ends[1]
    }

    /// Returns the stored trace, oldest entry first.
    static func trace(in store: any RecordStore) throws(TidemarkError) -> SyncTrace {
        var text = "\(SyncTrace.header)\n"
        for value in try Self.values(in: store) { text += try store.setting(Self.key(value)) ?? "" }
        do {
            return try SyncTrace(parsing: text)
        } catch {
            throw TidemarkError(
                .storeCorrupt,
                "The trace in the store can't be read: \(error). A client without “traceLimit” removes it.",
                cause: error)
        }
    }
}

extension TraceRing.Kept {
    /// The number of the setting that has the last line.
    private var place: Int64 { (self.number - 1) / Int64(TraceRing.linesPerValue) }

    fileprivate mutating func append(_ step: SyncTrace.Step, in store: any RecordStore) throws(TidemarkError) {
        self.number += 1
        self.lines += SyncTrace.Entry(number: self.number, step: step).line
        self.lines.append(UInt8(ascii: "\n"))
        self.values = (self.values.isEmpty ? self.place : self.values.lowerBound)..<(self.place + 1)
        if self.number.isMultiple(of: Int64(TraceRing.linesPerValue)) { try self.save(in: store) }
    }

    /// Writes the setting that is not full, unless it is already written.
    fileprivate mutating func save(in store: any RecordStore) throws(TidemarkError) {
        guard !self.lines.isEmpty else { return }
        try store.set(TraceRing.key(self.place), to: String(decoding: self.lines, as: UTF8.self))
        if self.number.isMultiple(of: Int64(TraceRing.linesPerValue)) { self.lines = [] }
    }

    fileprivate mutating func dropFirst(in store: any RecordStore) throws(TidemarkError) {
        try store.set(TraceRing.key(self.values.lowerBound), to: nil)
        self.values.removeFirst()
    }

    fileprivate mutating func erase(in store: any RecordStore) throws(TidemarkError) {
        while !self.values.isEmpty { try self.dropFirst(in: store) }
        self.lines = []
        // A setting begins at a multiple of its size, so that the numbers of its lines are known.
        let count = Int64(TraceRing.linesPerValue)
        self.number = (self.number + count - 1) / count * count
    }
}
