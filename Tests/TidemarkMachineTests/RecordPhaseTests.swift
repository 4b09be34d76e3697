import Testing
import TidemarkMachine

@Suite struct PhaseTests {
    @Test(arguments: RecordPhase.allCases)
    func `a phase is parsed from its spelling`(phase: RecordPhase) {
        #expect(RecordPhase(phase.description) == phase)
    }

    @Test func `the seventeen phases have different spellings`() {
        #expect(RecordPhase.allCases.count == 17)
        #expect(Set(RecordPhase.allCases.map(\.description)).count == 17)
    }

    @Test func `SYNCED is accepted for SYNCD`() {
        #expect(RecordPhase("SYNCED") == .synced)
    }

    @Test(arguments: ["", "synced", "EDITED", "EDITED.", "EDITED.idle ", "SYNCD.idle", "absent.idle"])
    func `an unknown spelling is not a phase`(text: String) {
        #expect(RecordPhase(text) == nil)
    }

    @Test(arguments: RecordPhase.allCases)
    func `a phase consists of its state and its activity`(phase: RecordPhase) {
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
    /// Every transition of the table.
    private static let moves: [(source: RecordPhase, event: RecordEvent, target: RecordPhase, actions: RecordActions)] =
        RecordPhase.allCases.flatMap { source in
            RecordEvent.allCases.compactMap { event in
                guard case .move(let target, let actions) = source.transition(on: event) else { return nil }
                return (source, event, target, actions)
            }
        }

    @Test func `every transition of a record is saved or erased (R17)`() {
        for move in Self.moves where move.event != .stale {
            #expect(move.actions.contains(.save) != move.actions.contains(.erase), "\(move)")
        }
    }

    @Test func `only a transition to absent erases`() {
        for move in Self.moves {
            #expect(move.actions.contains(.erase) == (move.target == .absent), "\(move)")
        }
    }

    @Test func `a transition to deciding consults or escalates, and one to held reports`() {
        for move in Self.moves {
            let isAsked = move.actions.contains(.runTactic) || move.event == .escalatedToUser
            #expect(move.target.activity != .deciding || isAsked, "\(move)")
            let isNewlyHeld = move.target.activity == .held && move.source.activity != .held
            #expect(!isNewlyHeld || move.actions.contains(.report), "\(move)")
        }
    }

    @Test func `values that a verdict or a resignation discards are journalled (I2)`() {
        for event in [RecordEvent.adopted, .erased, .resigned] {
            for move in Self.moves where move.event == event {
                #expect(move.actions.contains(.journal), "\(move)")
            }
        }
        // Resigning the deletion of a record that the server doesn't have discards no value.
        for event in [RecordEvent.abandoned, .createAbandoned] {
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
    func `an edit does not change the phase of an upload (R3)`(activity: RecordPhase.Activity) {
        #expect(RecordPhase.edited(activity).transition(on: .edited) == .move(.edited(activity), [.save, .notify]))
        #expect(RecordPhase.created(activity).transition(on: .edited) == .move(.created(activity), [.save, .notify]))
    }
}
