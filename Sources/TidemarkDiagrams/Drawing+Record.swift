import TidemarkMachine

// The drawings of the pages of a record.

extension Drawing {
    /// The four states, and the events between them.
    static let overview = Sketch(Arrow.ofRecord.filter { $0.source.state != $0.target.state }, place: Self.state)
        .drawing("overview", title: "The four states of a record, and the events between them")

    /// The events of a record that is settled or absent, and the last step of the main path.
    static let settled = Sketch(
        Arrow.ofRecord.filter { $0.source.activity == nil || $0.target == .synced && $0.isOnRoad }, place: Self.state
    )
    .drawing("SYNCD", title: "The events of a record that is SYNCD or absent", isWide: true)

    /// From activity to activity without leaving a state, and the main path through it.
    static func inside(_ state: SyncState) -> Drawing {
        let arrows = Arrow.ofRecord.filter { arrow in
            switch (arrow.source.state == state, arrow.target.state == state) {
            case (true, true): true
            case (true, false), (false, true): arrow.isOnRoad
            case (false, false): false
            }
        }
        return Sketch(arrows, composite: state.rawValue) { self.activity($0, of: state) }
            .drawing(state.rawValue, title: "The events of a record that stays \(state.rawValue)")
    }

    /// From the activities of a state to the other states.
    static func leaving(_ state: SyncState) -> Drawing {
        let arrows = Arrow.ofRecord.filter { $0.source.state == state && $0.target.state != state }
        return Sketch(arrows, composite: state.rawValue) { self.activity($0, of: state) }
            .drawing(
                "\(state.rawValue)-leaving", title: "The events by which a record leaves \(state.rawValue)",
                isWide: true
            )
            .fannedOut
    }

    /// The events by which a record starts and stops waiting for a decision.
    static let conflicts = Self.states(in: .deciding)
        .drawing(
            "conflicts", title: "The events by which a record starts and stops waiting for a decision", isWide: true
        )
        .fannedOut

    /// The events by which a record becomes held and is no longer held.
    static let held = Self.states(in: .held)
        .drawing("held", title: "The events by which a record becomes held and is no longer held", isWide: true)
        .fannedOut

    /// One activity of all states; the boxes of the composite are the states.
    private static func states(in activity: RecordPhase.Activity) -> Sketch<RecordPhase> {
        let arrows = Arrow.ofRecord.filter { $0.source.activity == activity || $0.target.activity == activity }
        return Sketch(arrows, composite: activity.rawValue) { phase in
            guard let state = phase.state, let other = phase.activity else { return self.state(phase) }
            return other == activity
                ? Sketch.Place(title: state.rawValue, tone: Tone(activity), side: .inside)
                : Sketch.Place(title: other.rawValue, tone: Tone(other))
        }
    }

    private static func activity(_ phase: RecordPhase, of state: SyncState) -> Sketch<RecordPhase>.Place {
        guard phase.state == state, let activity = phase.activity else { return self.state(phase) }
        return Sketch.Place(title: activity.rawValue, tone: Tone(activity), side: .inside)
    }

    private static func state(_ phase: RecordPhase) -> Sketch<RecordPhase>.Place {
        switch phase.state {
        case nil: Sketch.Place(title: phase.description, tone: .absent)
        case .some(let state): Sketch.Place(title: state.rawValue, tone: state == .synced ? .settled : .elsewhere)
        }
    }
}
