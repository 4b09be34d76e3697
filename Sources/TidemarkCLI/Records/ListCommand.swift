import Tidemark

/// `tidemark list`: lists the records of a collection, or those of a query.
enum ListCommand: Command {
    static let name = "list"
    static let summary = "list the records of a collection, or find and sort them"
    static let parameters = [Parameter.collection]
    static let options = [
        Option.store, Self.state, Self.condition, Self.order, Self.limit, Self.after, Self.explain, Option.json,
    ]
    static let example =
        "tidemark list --store phone.db todos --where '/done = false and /price > 2' --order -/price --limit 20"

    private static let state = Option(
        name: "--state", value: "STATE", summary: "only SYNCD, EDITED, CREATED or DELETED; can be repeated",
        isRepeated: true, kind: .choice(SyncState.allCases.map(\.rawValue)))
    private static let condition = Option(
        name: "--where", value: "CONDITION",
        summary:
            "only records for which this is true, as the app sees them: /path, then = != < <= > >= in startsWith contains "
            + "exists missing; pending, held; and, or, not")
    private static let order = Option(
        name: "--order", value: "PATH",
        summary: "sort by the values at a path, or with -PATH in descending order; can be repeated",
        isRepeated: true)
    private static let limit = Option(
        name: "--limit", value: "N", summary: "the maximum number of records; default: all")
    private static let after = Option(
        name: "--after", value: "CURSOR",
        summary: "the next page of the same query: the cursor that the previous page printed")
    private static let explain = Option(
        name: "--explain", summary: "also print how the records are found, and how many were read")

    /// How many records are in memory at a time.
    private static let page = 500

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let states = try Self.states(input)
        let isQuery = [Self.condition, Self.order, Self.limit, Self.after, Self.explain].contains(where: input.has)
        let query = isQuery ? try Self.query(input, states) : nil
        let limit = try input.number(Self.limit)
        let store = try await OpenStore(reading: input, console)
        let collection = try await store.known(try input.required(0))
        guard let query else {
            try await Self.list(collection, states ?? Set(SyncState.allCases), input, console)
            return .success
        }
        let next = try await Self.list(query, in: collection, limit, input, console)
        if let next, !input.has(Option.json) { console.say("more: \(Self.command(after: next, input, store.path))") }
        return .success
    }

    /// Prints all records in some states, also those that were deleted here.
    private static func list(
        _ collection: SyncCollection<JSON>, _ states: Set<SyncState>, _ input: Arguments, _ console: Console
    ) async throws {
        var last: String?
        while true {
            let records = try await collection.list(states: states, after: last, limit: Self.page)
            for record in records { try Self.print(record, input, console) }
            guard records.count == Self.page, let pk = records.last?.pk else { return }
            last = pk
        }
    }

    /// Prints the records of a query.
    ///
    /// - Returns: The cursor of the next record; nil if there are no more.
    private static func list(
        _ query: RecordQuery, in collection: SyncCollection<JSON>, _ limit: Int?, _ input: Arguments, _ console: Console
    ) async throws -> RecordQuery.Cursor? {
        // An index of the rules file is built before its first use, and not only by the next sync.
        try await collection.buildIndexes()
        if input.has(Self.explain) { console.say("plan: \(try await collection.plan(query))") }
        var next = input.value(Self.after).map { RecordQuery.Cursor($0) }
        var left = limit ?? .max
        var examined = 0
        repeat {
            let page = try await collection.snapshots(query, limit: min(left, Self.page), after: next)
            (next, left, examined) = (page.next, left - page.records.count, examined + page.examined)
            for record in page.records.dropLast() { try Self.print(record, input, console) }
            if let record = page.records.last { try Self.print(record, next: left == 0 ? next : nil, input, console) }
        } while next != nil && left > 0
        if input.has(Self.explain) { console.say("read: \(examined == 1 ? "1 record" : "\(examined) records")") }
        return next
    }

    private static func print(
        _ record: RecordSnapshot, next: RecordQuery.Cursor? = nil, _ input: Arguments, _ console: Console
    ) throws {
        if input.has(Option.json) {
            try console.print(bytes: try record.line(lineEnds: .spaces, next: next))
        } else {
            try console.print(columns: record.row)
        }
    }

    private static func query(_ input: Arguments, _ states: Set<SyncState>?) throws -> RecordQuery {
        var query = RecordQuery()
        do throws(TidemarkError) {
            if let text = input.value(Self.condition) { query.condition = try RecordQuery.Condition(parsing: text) }
            for text in input.all(Self.order) { query.order.append(try RecordQuery.Order(parsing: text)) }
        } catch {
            throw UsageError(error.message, for: Self.self)
        }
        if let states {
            guard !states.contains(.deleted) else {
                throw UsageError(
                    "a query has no records that were deleted here; leave out --state DELETED, or all of --where, --order, --limit, "
                        + "--after and --explain", for: Self.self)
            }
            // In a fixed order: the cursor of a page has a digest of the condition.
            let condition = SyncState.allCases.filter(states.contains).map { RecordQuery.Condition.state($0) }
            query.condition = condition.reduce(!.all, ||) && query.condition
        }
        return query
    }

    /// The command line for the next page.
    private static func command(after next: RecordQuery.Cursor, _ input: Arguments, _ path: String) -> String {
        var words = ["tidemark list --store \(ShellWords.quoted(path: path))"]
        for option in [Self.state, Self.condition, Self.order, Self.limit] {
            words += input.all(option).map { "\(option.name) \(ShellWords.quoted($0, or: option.value ?? ""))" }
        }
        words += ["--after \(next)", ShellWords.names(input.position(0) ?? "")]
        return words.joined(separator: " ")
    }

    private static func states(_ input: Arguments) throws(UsageError) -> Set<SyncState>? {
        var states: Set<SyncState> = []
        for text in input.all(Self.state) {
            let name = text.uppercased() == "SYNCED" ? SyncState.synced.rawValue : text.uppercased()
            guard let state = SyncState(rawValue: name) else {
                let known = SyncState.allCases.map(\.rawValue)
                throw UsageError(
                    "--state \(text) is not a state; \(NearestName.hint(for: text, among: known))", for: Self.self)
            }
            states.insert(state)
        }
        return states.isEmpty ? nil : states
    }
}

extension RecordSnapshot {
    /// The line for the user.
    fileprivate var row: [String] {
        let text = self.raw.content.map { String(decoding: $0.prefix(200), as: UTF8.self) } ?? ""
        let lines = text.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        let line = lines.map { Substring($0) }.joined(separator: " ")
        return [
            JSONString(self.pk).source, self.phase.description, line.count > 80 ? "\(line.prefix(79))…" : line,
        ]
    }
}
