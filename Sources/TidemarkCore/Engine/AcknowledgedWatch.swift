package import TidemarkJSON

/// What a server acknowledged of one record, watched for a while: one that checks a version and then writes may overwrite it with
/// what was there before, and tells nobody (SPEC §12, I1).
///
/// A row that shows one of the values *before* the acknowledged one is taken for such a write: a lost update. Any other value is
/// someone's answer to it. It can't tell a lost update from a person who sets the old value again within that time.
///
/// It decides, and does nothing: see ``WatchKeeper``.
package struct AcknowledgedWatch: Hashable {
    /// One value that was acknowledged.
    package struct Entry: Hashable {
        /// Where it is. No entry lies below another one's value: what is watched of an object are its members.
        package var path: JSONPointer

        /// What was acknowledged; nil where that was a removal.
        package var value: JSON?

        /// What was there before, oldest first; nil where nothing was.
        package var before: [JSON?]

        /// How often it was put back (I8).
        package var returns = 0

        /// How many values before it are known at most.
        package static let formerLimit = 8
    }

    /// What became of a value that was acknowledged.
    package enum Finding: Hashable {
        /// What was there before it is there again.
        case overwritten(Entry, by: JSON?)

        /// Someone has set it to something else; or back to what was, again and again.
        case replaced(Entry, by: JSON?)
    }

    /// When the time is over within which it may be overwritten, from 1970-01-01T00:00:00Z.
    package private(set) var until: Duration

    /// The values, in the order of their paths.
    package private(set) var entries: [Entry] = []

    /// Begins without any value.
    package init(until: Duration = .zero) {
        self.until = until
    }

    /// Brings the end nearer.
    ///
    /// - Returns: Whether it was later.
    package mutating func shorten(to latest: Duration) -> Bool {
        guard self.until > latest else { return false }
        self.until = latest
        return true
    }

    /// Whether a pull that began then, and came to its end, has shown all that can have happened.
    package func isOver(by beginning: Duration) -> Bool { beginning > self.until }
}

// MARK: - What happens

extension AcknowledgedWatch {
    /// The server took a change.
    ///
    /// - Parameters:
    ///   - base: What the change was made on.
    ///   - sent: What the change made of it.
    ///   - row: What the server has now. A value that was rounded as it was taken is acknowledged as it is there.
    ///   - until: Until when another write may come between.
    package mutating func acknowledge(_ change: JSONPatch, from base: JSON?, to sent: JSON, row: JSON, until: Duration)
    {
        self.until = max(self.until, until)
        for path in change.leaves(from: base, to: sent) {
            let former = base?[pointer: path]
            let (mine, shown) = (sent[pointer: path], row[pointer: path])
            var entry = Entry(path: path, value: mine, before: [])
            if let index = self.entries.firstIndex(where: { $0.path == path }) {
                let earlier = self.entries.remove(at: index)
                entry.before = earlier.before + [earlier.value]
                // One that was put back is the same one still.
                entry.returns = earlier.value == mine ? earlier.returns : 0
            }
            let known = (entry.before + [former]).reduce(into: [JSON?]()) { list, value in
                if value != mine, !list.contains(value) { list.append(value) }
            }
            entry.before = Array(known.suffix(Entry.formerLimit))
            if !entry.before.contains(shown) { entry.value = shown }
            self.entries.removeAll { $0.path.isPrefix(of: path) || path.isPrefix(of: $0.path) }
            if !entry.before.isEmpty { self.entries.append(entry) }
        }
        self.entries.sort { $0.path < $1.path }
    }

    /// A row shows what the server has now. What someone has replaced is watched no more.
    ///
    /// - Parameters:
    ///   - row: The record; nil where it is gone.
    ///   - limit: How often one value is put back.
    package mutating func review(_ row: JSON?, limit: Int) -> [Finding] {
        guard let row else { return [] }
        var findings: [Finding] = []
        self.entries = self.entries.compactMap { entry in
            let shown = row[pointer: entry.path]
            guard shown != entry.value else { return entry }
            guard entry.before.contains(shown), entry.returns < limit else {
                findings.append(.replaced(entry, by: shown))
                return nil
            }
            findings.append(.overwritten(entry, by: shown))
            var entry = entry
            entry.returns += 1
            return entry
        }
        return findings
    }
}

extension JSONPatch {
    /// The places that a canonical change writes, each as far down as there are objects: an object that is added is its members.
    func leaves(from base: JSON?, to sent: JSON) -> [JSONPointer] {
        var places: Set<JSONPointer> = []
        for operation in self.operations {
            let path = operation.path
            let now = sent[pointer: path].map { $0.leaves(at: path) } ?? []
            let former = base?[pointer: path].map { $0.leaves(at: path) } ?? []
            places.formUnion(now)
            // What is gone with an object that was replaced, and does not hold what came in its place.
            places.formUnion(former.filter { old in !now.contains { old.isPrefix(of: $0) || $0.isPrefix(of: old) } })
        }
        return places.sorted()
    }
}

extension JSON {
    fileprivate func leaves(at path: JSONPointer) -> [JSONPointer] {
        guard let members = self.object, !members.isEmpty else { return path.isRoot ? [] : [path] }
        return members.flatMap { key, value in value.leaves(at: path.appending(key)) }
    }
}

// MARK: - As it is stored

extension AcknowledgedWatch {
    /// `{"until":µs,"values":[{"path","value":[v],"before":[[v],[]],"returns":n}]}`; `[]` is no value.
    package var json: JSON {
        func box(_ value: JSON?) -> JSON { .array(value.map { [$0] } ?? []) }
        let values = self.entries.map { entry -> JSON in
            [
                "path": JSON(entry.path.text), "value": box(entry.value), "before": .array(entry.before.map(box)),
                "returns": JSON(entry.returns),
            ]
        }
        return ["until": JSON(self.until.microseconds), "values": .array(values)]
    }

    /// Reads what ``json`` wrote; nil when it makes no sense.
    package init?(bytes: [UInt8]) {
        guard let json = try? JSON(parsing: bytes), let until = json["until"]?.int else { return nil }
        self.init(until: .microseconds(until))
        self.entries = (json["values"]?.array ?? []).compactMap { value in
            guard let path = value["path"]?.string.flatMap({ try? JSONPointer(parsing: $0) }) else { return nil }
            return Entry(
                path: path, value: value["value"]?.array?.first,
                before: value["before"]?.array?.map { $0.array?.first } ?? [], returns: value["returns"]?.int ?? 0)
        }
    }
}

extension Duration {
    fileprivate var microseconds: Int {
        // No clock is asked about a time that is further away.
        let (seconds, attoseconds) = min(max(self, .zero), .seconds(1 << 40)).components
        return Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
    }
}
