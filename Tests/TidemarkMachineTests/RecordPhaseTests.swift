import Testing
import TidemarkMachine

@Suite struct PhaseTests {
    @Test(arguments: RecordPhase.allCases)
    func `a phase is read back from its spelling`(phase: RecordPhase) {
        #expect(RecordPhase(phase.description) == phase)
    }

    @Test func `there are seventeen phases, each with its own spelling`() {
        #expect(RecordPhase.allCases.count == 17)
        #expect(Set(RecordPhase.allCases.map(\.description)).count == 17)
    }

    @Test func `SYNCED is accepted for SYNCD`() {
        #expect(RecordPhase("SYNCED") == .synced)
    }

    @Test(arguments: ["", "synced", "EDITED", "EDITED.", "EDITED.idle ", "SYNCD.idle", "absent.idle"])
    func `anything else is no phase`(text: String) {
        #expect(RecordPhase(text) == nil)
    }

    @Test(arguments: RecordPhase.allCases)
    func `a phase is its state and its activity`(phase: RecordPhase) {
        switch phase {
        case .absent: #expect(phase.state == nil && phase.activity == nil)
        case .synced: #expect(phase.state == .synced && phase.activity == nil)
        case .edited(let activity): #expect(phase.state == .edited && phase.activity == activity)
        case .created(let activity): #expect(phase.state == .created && phase.activity == activity)
        case .deleted(let activity): #expect(phase.state == .deleted && phase.activity == activity)
        }
    }
}

@Suite struct RecordTableTests {
    /// Every move of the table.
    private static let moves: [(source: RecordPhase, event: RecordEvent, target: RecordPhase, actions: RecordActions)] =
        RecordPhase.allCases.flatMap { source in
            RecordEvent.allCases.compactMap { event in
                guard case .move(let target, let actions) = source.transition(on: event) else { return nil }
                return (source, event, target, actions)
            }
        }

    @Test func `R17 whatever moves a record is saved, or erased`() {
        for move in Self.moves where move.event != .stale {
            #expect(move.actions.contains(.save) != move.actions.contains(.erase), "\(move)")
        }
    }

    @Test func `only what becomes absent is erased`() {
        for move in Self.moves {
            #expect(move.actions.contains(.erase) == (move.target == .absent), "\(move)")
        }
    }

    @Test func `whoever comes to decide is asked, and whoever comes to be held is reported`() {
        for move in Self.moves {
            let isAsked = move.actions.contains(.consult) || move.event == .undecided
            #expect(move.target.activity != .deciding || isAsked, "\(move)")
            let isNewlyHeld = move.target.activity == .held && move.source.activity != .held
            #expect(!isNewlyHeld || move.actions.contains(.report), "\(move)")
        }
    }

    @Test func `I2 what a verdict or a resignation takes away is journalled`() {
        for event in [RecordEvent.adopted, .erased, .resigned] {
            for move in Self.moves where move.event == event {
                #expect(move.actions.contains(.journal), "\(move)")
            }
        }
        // With the deletion of what no one has, nothing is given up.
        for event in [RecordEvent.abandoned, .withdrawn] {
            for move in Self.moves where move.event == event && move.source.state == .created {
                #expect(move.actions.contains(.journal), "\(move)")
            }
        }
        for event in [RecordEvent.rebased, .recreated, .revived] {
            for move in Self.moves where move.event == event && move.source.activity == .deciding {
                #expect(move.actions.contains(.journal), "\(move)")
            }
        }
    }

    @Test(arguments: [RecordPhase.Activity.uploading, .unconfirmed])
    func `R3 an edit leaves a record where its upload is`(activity: RecordPhase.Activity) {
        #expect(RecordPhase.edited(activity).transition(on: .edited) == .move(.edited(activity), [.save, .notify]))
        #expect(RecordPhase.created(activity).transition(on: .edited) == .move(.created(activity), [.save, .notify]))
    }
}
