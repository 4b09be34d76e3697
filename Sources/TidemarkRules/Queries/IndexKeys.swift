package import TidemarkJSON

/// The indexes of a collection with parsed paths: they make the entries of a record.
package struct IndexKeys: Sendable {
    package let indexes: [RecordIndex]
    let paths: [[QueryPath]]

    /// Whether an index has a `*`.
    private let hasStar: [Bool]

    /// An index of a store, which was checked when it was declared.
    init(parsing index: RecordIndex) throws(TidemarkError) {
        var paths: [QueryPath] = []
        for path in index.paths { paths.append(try QueryPath(path, in: "An index")) }
        (self.indexes, self.paths, self.hasStar) = ([index], [paths], [paths.contains(where: \.hasStar)])
    }

    /// Whether a record may have several keys in the first index.
    package var mayHaveSeveral: Bool { self.hasStar[0] }

    /// Checks indexes.
    ///
    /// - Throws: ``TidemarkError/Code/invalidQuery``.
    package init(_ indexes: [RecordIndex], of collection: String, limits: RecordQuery.Limits = RecordQuery.Limits())
        throws(TidemarkError)
    {
        let place = "The indexes of \(collection)"
        func invalid(_ message: String) -> TidemarkError { TidemarkError(.invalidQuery, "\(place): \(message)") }
        guard indexes.count <= limits.indexes else {
            throw invalid(
                "there are \(indexes.count), and \(limits.indexes) are possible (RecordQuery.Limits.indexes).")
        }
        self.indexes = indexes
        var paths: [[QueryPath]] = []
        for (number, index) in indexes.enumerated() {
            guard !index.paths.isEmpty else { throw invalid("one has no path. Name one, such as [\"/due\"].") }
            guard index.paths.count <= limits.paths else {
                throw invalid("\(index) has more than \(limits.paths) paths (RecordQuery.Limits.paths).")
            }
            guard !indexes[..<number].contains(index) else {
                throw invalid("\(index) is there twice. Remove one of them.")
            }
            var parsed: [QueryPath] = []
            for path in index.paths { parsed.append(try QueryPath(path, in: place)) }
            guard parsed.count(where: \.hasStar) <= 1 else {
                throw invalid("\(index) has “*” in two paths, and one is possible. Make two indexes.")
            }
            guard Set(parsed).count == parsed.count else { throw invalid("\(index) has one path twice.") }
            paths.append(parsed)
        }
        self.paths = paths
        self.hasStar = paths.map { $0.contains(where: \.hasStar) }
    }

    /// The keys of a record in an index, each once, in their order: one, or one for each element at a `*`.
    ///
    /// - Parameter content: The app's view of the record; nil if it can't be read: then every member is missing.
    package func keys(of content: JSON?, in index: Int) -> [[UInt8]] {
        var keys: [[UInt8]] = [[]]
        for path in self.paths[index] {
            guard path.hasStar else {
                let value = path.value(in: content)
                for place in keys.indices { QueryKey.append(value, to: &keys[place]) }
                continue
            }
            let values = path.values(in: content)
            // Before the `*` there is one key.
            let beginning = keys[0]
            var ends = Set(values.map { QueryKey.of($0) })
            if ends.isEmpty { ends = [QueryKey.missing] }
            keys = ends.map { beginning + $0 }
        }
        return keys.count > 1 ? keys.sorted { $0.lexicographicallyPrecedes($1) } : keys
    }

    /// Replaces the contents of a list by the same keys. Without a `*` this allocates nothing.
    package func write(keysOf content: JSON?, in index: Int, to list: inout KeyList) {
        list.removeAll()
        guard !self.hasStar[index] else {
            for key in self.keys(of: content, in: index) { list.append { $0 += key } }
            return
        }
        list.append { bytes in
            for path in self.paths[index] { QueryKey.append(path.value(in: content), to: &bytes) }
        }
    }
}

/// Keys from a lower bound up to an upper one, which is not included.
package struct KeyRange: Hashable, Sendable {
    package var lower: [UInt8]

    /// The first key after the range; nil if there is none.
    package var upper: [UInt8]?

    package init(from lower: [UInt8], upTo upper: [UInt8]?) {
        self.lower = lower
        self.upper = upper
    }

    /// All keys that begin with some bytes.
    package init(beginningWith bytes: [UInt8]) {
        self.init(from: bytes, upTo: Self.after(bytes))
    }

    package func contains(_ key: [UInt8]) -> Bool {
        !key.lexicographicallyPrecedes(self.lower) && self.upper.map { key.lexicographicallyPrecedes($0) } ?? true
    }

    /// The first bytes after all those that begin with some bytes; nil if there are none.
    package static func after(_ bytes: [UInt8]) -> [UInt8]? {
        var bytes = bytes
        while let last = bytes.popLast() {
            if last < 0xFF { return bytes + [last + 1] }
        }
        return nil
    }
}
