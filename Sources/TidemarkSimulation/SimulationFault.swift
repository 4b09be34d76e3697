import TidemarkTesting

/// What can befall messages, stores, processes and the server of a simulation, by name.
public enum SimulationFault: String, CaseIterable, Hashable, Sendable {
    /// A request or its answer gets lost.
    case drop

    /// A request arrives twice, or an answer is heard twice.
    case dup

    /// A request or an answer is slow, and others overtake it.
    case late

    /// An answer breaks off.
    case cut

    /// Something before the server, or the server itself, answers with a status.
    case status

    /// Whoever owns the network answers in the server's place.
    case portal

    /// An edit is refused for its content.
    case refuse

    /// A write to a store fails.
    case disk

    /// A device's process ends, at a write too, and begins again.
    case crash

    /// A clock jumps.
    case clock

    /// The server begins again.
    case restart

    /// Something is wrong with the server for some time: it takes no edits, or none of one record, others are always faster, or
    /// its feed has no end.
    case trouble

    /// The server is put back to a backup, or begins a history of its own.
    case restore

    /// The server forgets tombstones and answers that are past the horizon.
    case purge

    /// A device shows the token of another account.
    case account

    /// A second device begins with what another one has.
    case copy
}

extension SimulationStep {
    /// What it lets befall whom; nil where it is what people and devices do every day.
    var fault: SimulationFault? {
        switch self {
        case .device(_, let act): act.fault
        case .answer(_, .hear): nil
        case .answer(_, .lose): .drop
        case .answer(_, .hearAgain): .dup
        case .late: .late
        case .server(let act): act.fault
        }
    }
}

extension SimulationStep.DeviceAct {
    fileprivate var fault: SimulationFault? {
        switch self {
        case .carry(_, let fate): fate.fault
        case .restart, .respell, .crash: .crash
        case .fail: .disk
        case .clock: .clock
        case .account: .account
        case .copy: .copy
        case .offline: .drop
        case .hear(let fate): fate.fault
        case .create, .type, .clear, .append, .drop, .insert, .move, .put, .draft, .save, .add, .delete, .release,
            .resign, .restore,
            .restoreLost,
            .look, .decide, .resolve, .begin, .sync, .persist, .wake, .renew, .run, .stop, .later, .online:
            nil
        }
    }
}

extension SimulationStep.HintFate {
    fileprivate var fault: SimulationFault? {
        switch self {
        case .whole: nil
        case .twice: .dup
        case .late: .late
        case .lost, .dead, .end: .drop
        case .refused: .portal
        case .flood: .trouble
        }
    }
}

extension SimulationStep.RequestFate {
    fileprivate var fault: SimulationFault? {
        switch self {
        case .whole: nil
        case .slow, .late: .late
        case .twice: .dup
        case .lost, .answerLost: .drop
        case .cut: .cut
        case .status, .statusAfter, .rest, .busy: .status
        case .html, .redirect: .portal
        case .refuse: .refuse
        }
    }
}

extension SimulationStep.ServerAct {
    fileprivate var fault: SimulationFault? {
        switch self {
        case .restart: .restart
        // A backup befalls nobody.
        case .backup: nil
        case .restore, .anew: .restore
        case .purge: .purge
        case .clock: .clock
        // An edit for which there is no room is refused.
        case .room: .refuse
        // That it is over befalls nobody.
        case .trouble(let trouble): trouble == .none ? nil : .trouble
        }
    }
}
