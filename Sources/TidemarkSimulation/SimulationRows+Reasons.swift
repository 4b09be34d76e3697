import TidemarkMachine

extension SimulationRows {
    /// The reason why no simulation uses a row of the exchange's table; nil if a simulation has to use it.
    ///
    /// A row that is never used and has no reason is an error of the table or of the simulation.
    package static func reason(for cell: ExchangeCell) -> String? {
        switch (cell.phase, cell.event) {
        case (_, .throttled): "The simulated server sends no Retry-After in an answer."
        case (.getting, .answeredTooMuch), (.posting, .answeredTooMuch):
            "Only a transport finds an answer too large, and a simulated device has none."
        case (.posting, .resyncEnded): "Nothing is sent during a full resync (Contract §6)."
        case (.idle, _), (.getting, _), (.posting, _), (.waiting, _), (.paused, _): nil
        }
    }

    /// The reason why no simulation uses a row of the record's table; nil if a simulation has to use it.
    package static func reason(for cell: RecordCell) -> String? { self.reasons[cell] }

    private static let reasons: [RecordCell: String] = {
        let rare = "The server would have to lose its history while it has a held upload: too rare, so tests take it."
        let rows: [(reason: String, event: RecordEvent, phases: [RecordPhase])] = [
            ("An absent record has no version that a row could repeat, so each row is new.", .repeated, [.absent]),
            ("The store applies the rows of unchanged records, and passes over a known row.", .repeated, [.synced]),
            (
                "A record that is deciding has a newer version than the confirmed one, and versions only grow.",
                .repeated, [.edited(.deciding), .created(.deciding), .deleted(.deciding)]
            ),
            (Self.afterResults, .repeated, [.edited(.uploading), .created(.uploading), .deleted(.uploading)]),
            (Self.afterResults, .seen, [.edited(.uploading), .created(.uploading), .deleted(.uploading)]),
            (Self.notHeld, .exhausted, [.edited(.deciding), .created(.deciding), .deleted(.deciding)]),
            (Self.notHeld, .abandoned, [.edited(.held), .deleted(.held)]),
            (Self.notHeld, .createdAgain, [.deleted(.held)]),
            (Self.fromAStore, .createdAgain, [.deleted(.idle)]),
            (Self.fromAStore, .abandoned, [.deleted(.idle)]),
            (Self.fromAStore, .rebased, [.deleted(.idle), .deleted(.held)]),
            (Self.fromAStore, .createAbandoned, [.created(.idle)]),
            (rare, .accepted, [.edited(.held), .created(.held), .deleted(.held)]),
            (rare, .acceptedEarlier, [.created(.held), .deleted(.held)]),
            (
                "A create would have to be deleted before its answer is repeated: too rare, so a test takes it.",
                .acceptedThenDeleted, [.created(.uploading)]
            ),
        ]
        return rows.reduce(into: [:]) { reasons, row in
            for phase in row.phases { reasons[RecordCell(phase: phase, event: row.event)] = row.reason }
        }
    }()

    private static let afterResults =
        "There is one request of a collection at a time, and the results of an answer are applied before its rows."

    private static let notHeld = "The engine does not hold a record that is deciding."

    private static let fromAStore =
        "An idle record has no upload and no newer row, and its delete a confirmed version, unless a store is damaged."

    /// The number of rows taken of each table, and each row that was not taken.
    package var lines: [String] {
        Self.lines("record", self.record, Self.reason) + Self.lines("exchange", self.exchange, Self.reason)
    }

    /// Whether a row was not taken that has no reason.
    package var isMissingRows: Bool {
        RecordCell.all.contains { !self.record.contains($0) && Self.reason(for: $0) == nil }
            || ExchangeCell.all.contains { !self.exchange.contains($0) && Self.reason(for: $0) == nil }
    }

    private static func lines<Phase>(
        _ name: String, _ taken: Set<TableCell<Phase>>, _ reason: (TableCell<Phase>) -> String?
    ) -> [String] {
        let all = TableCell<Phase>.all
        return ["rows of the \(name)'s table: \(taken.count) of \(all.count) used"]
            + all.filter { !taken.contains($0) }.map { "  never \($0): \(reason($0) ?? "no reason is known")" }
    }
}
