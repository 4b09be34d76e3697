package import TidemarkJSON
package import TidemarkRules

/// The acknowledged values of one record, watched for a while: a server that checks a version and then writes may overwrite
/// them with the former values, without telling any client (Contract §12, I1).
///
/// A row with one of the values *before* the acknowledged one counts as such a write: a lost update. Any other value counts as
/// another client's later edit. A lost update can't be distinguished from a user who sets the old value again within that time.
/// If the row has the version that is known here, no other client wrote it: the server has altered the value.
///
/// It decides only; ``LostUpdateGuard`` acts.
package struct AcknowledgedWrite: Hashable {
    /// One acknowledged value.
    package struct Entry: Hashable {
        /// The path. No entry lies below the path of another: an object is watched member by member.
        package var path: JSONPointer

        /// The acknowledged value; nil for a removal.
        package var value: JSON?

        /// The values before it, oldest first; nil for no value.
        package var before: [JSON?]

        /// How often it was sent again (I8).
        package var returns = 0

        /// The maximum number of earlier values.
        package static let formerLimit = 8

        /// The server stores another value than the acknowledged one.
        fileprivate mutating func alter(to shown: JSON?) {
            self.value = shown
            self.before.removeAll { $0 == shown }
        }
    }

    /// A change of an acknowledged value.
    package enum Finding: Hashable {
        /// A value from before it has returned.
        case overwritten(Entry, by: JSON?)

        /// Another value was set; or an earlier value returned more often than the limit.
        case replaced(Entry, by: JSON?)

        /// The server shows another value at the same version.
        case altered(Entry)
    }

    /// The end of the time in which it may be overwritten, since 1970-01-01T00:00:00Z.
    package private(set) var until: Duration

    /// The values, in the order of their paths.
    package private(set) var entries: [Entry] = []

    /// Makes a watch without values.
    package init(until: Duration = .zero) {
        self.until = until
    }

    /// Moves the end to an earlier time.
    ///
    /// - Returns: Whether the end was later.
    package mutating func shorten(to latest: Duration) -> Bool {
        guard self.until > latest else { return false }
        self.until = latest
        return true
    }

    /// Keeps values for which `isWanted` is true, and no values from before them.
    ///
    /// - Parameters:
    ///   - count: How many are kept: those below the paths of the newest change first, then the first ones by path.
    ///   - change: The newest change.
    mutating func limit(to count: Int, preferring change: JSONPatch, where isWanted: (JSONPointer) -> Bool) {
        let newest = change.operations.map(\.path)
        self.entries.removeAll { !isWanted($0.path) }
        if self.entries.count > count {
            let isNew = { (entry: Entry) in newest.contains { $0.isPrefix(of: entry.path) } }
            self.entries = Array((self.entries.filter(isNew) + self.entries.filter { !isNew($0) }).prefix(count))
                .sorted { $0.path < $1.path }
        }
        for index in self.entries.indices { self.entries[index].before = [] }
    }

    /// Whether a pull that began at this time, and was completed, has shown every possible overwrite.
    package func isOver(by beginning: Duration) -> Bool { beginning > self.until }
}

// MARK: - Events

extension AcknowledgedWrite {
    /// The server accepted a change.
    ///
    /// - Parameters:
    ///   - base: The content before the change.
    ///   - sent: The content after the change.
    ///   - row: The server's content now. A value that the server altered is acknowledged as the server shows it.
    ///   - fields: The rules of the collection: a value that a rule treats as a whole is not sent again in parts.
    ///   - mayBeLater: Whether the row may be a later one: then a value from before the change counts as a lost update.
    ///   - until: The time until which another write may still overwrite it.
    package mutating func acknowledge(
        _ change: JSONPatch, from base: JSON?, to sent: JSON, row: JSON, by fields: FieldRules = FieldRules(),
        mayBeLater: Bool = false, until: Duration
    ) {
        self.until = max(self.until, until)
        for path in change.leaves(from: base, to: sent, by: fields) {
            let former = base?[pointer: path]
            let (mine, shown) = (sent[pointer: path], row[pointer: path])
            var entry = Entry(path: path, value: mine, before: [])
            if let index = self.entries.firstIndex(where: { $0.path == path }) {
                let earlier = self.entries.remove(at: index)
                entry.before = earlier.before + [earlier.value]
                // A value that was sent again keeps its count.
                entry.returns = earlier.value == mine ? earlier.returns : 0
            }
            let known = (entry.before + [former]).reduce(into: [JSON?]()) { list, value in
                if value != mine, !list.contains(value) { list.append(value) }
            }
            entry.before = Array(known.suffix(Entry.formerLimit))
            if !mayBeLater || !entry.before.contains(shown) { entry.alter(to: shown) }
            self.entries.removeAll { $0.path.isPrefix(of: path) || path.isPrefix(of: $0.path) }
            if !entry.before.isEmpty { self.entries.append(entry) }
        }
        self.entries.sort { $0.path < $1.path }
    }

    /// Compares the values with the server's present row. A replaced value is no longer watched.
    ///
    /// - Parameters:
    ///   - row: The record; nil if it was deleted.
    ///   - former: The record as it was known at the same version; nil if the row has another version.
    ///   - limit: How often one value is sent again.
    package mutating func review(_ row: JSON?, sameVersionAs former: JSON? = nil, limit: Int) -> [Finding] {
        guard let row else { return [] }
        var findings: [Finding] = []
        self.entries = self.entries.compactMap { entry in
            let shown = row[pointer: entry.path]
            guard shown != entry.value else { return entry }
            if let former {
                // A value that was known at this version was reviewed with the first row.
                guard former[pointer: entry.path] != shown else { return entry }
                findings.append(.altered(entry))
                var entry = entry
                entry.alter(to: shown)
                return entry.before.isEmpty ? nil : entry
            }
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
    /// Returns the paths that a canonical change writes, down to the members of objects: for an added object the paths of its
    /// members. A value that stays together is one path; see ``FieldRules/units(of:from:to:)``.
    func leaves(from base: JSON?, to sent: JSON, by fields: FieldRules) -> [JSONPointer] {
        var places: Set<JSONPointer> = []
        for operation in self.operations {
            let path = operation.path
            let now = sent[pointer: path].map { $0.leaves(at: path) } ?? []
            let former = base?[pointer: path].map { $0.leaves(at: path) } ?? []
            places.formUnion(now)
            // Members that disappeared with a replaced object, unless a new value lies above or below them.
            places.formUnion(former.filter { old in !now.contains { old.isPrefix(of: $0) || $0.isPrefix(of: old) } })
        }
        return fields.units(of: places.sorted(), from: base, to: sent)
    }
}

extension JSON {
    fileprivate func leaves(at path: JSONPointer) -> [JSONPointer] {
        guard let members = self.object, !members.isEmpty else { return path.isRoot ? [] : [path] }
        return members.flatMap { key, value in value.leaves(at: path.appending(key)) }
    }
}

// MARK: - The stored form

extension AcknowledgedWrite {
    /// `{"until":µs,"values":[{"path","value":[v],"before":[[v],[]],"returns":n}]}`; `[]` means no value.
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

    /// Reads the form of ``json``; nil if it is malformed.
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
        // Limits the time: no clock reaches a later one.
        let (seconds, attoseconds) = min(max(self, .zero), .seconds(1 << 40)).components
        return Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
    }
}
