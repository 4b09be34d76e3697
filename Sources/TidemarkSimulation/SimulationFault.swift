import TidemarkTesting

/// The faults of messages, stores, processes and the server of a simulation, by name.
public enum SimulationFault: String, CaseIterable, Hashable, Sendable {
    /// A request or its answer is lost.
    case drop

    /// A request or an answer arrives twice.
    case dup

    /// A request or an answer is slow, and others overtake it.
    case late

    /// An answer breaks off.
    case cut

    /// A proxy, or the server, answers with an error status.
    case status

    /// A captive portal answers instead of the server.
    case portal

    /// An edit is refused for its content.
    case refuse

    /// A write to a store fails.
    case disk

    /// A device's process ends, also during a write, and restarts; or its store changes hands, and another process begins.
    case crash

    /// A clock jumps.
    case clock

    /// The server restarts.
    case restart

    /// The server has a trouble for some time: it accepts no edits, or none of one record, other devices are always faster, or
    /// its feed has no end.
    case trouble

    /// The server is restored from a backup, or begins a new history.
    case restore

    /// The server removes tombstones and answers that are beyond the horizon.
    case purge

    /// A device sends the token of another account.
    case account

    /// A second device begins with a copy of another one.
    case copy
}

extension SimulationStep {
    /// The fault that a step is; nil for the usual acts of users and devices.
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
        case .restart, .respell, .crash, .hand: .crash
        case .fail: .disk
        case .clock: .clock
        case .account: .account
        case .copy: .copy
        case .offline: .drop
        case .hear(let fate): fate.fault
        case .create, .type, .clear, .append, .drop, .insert, .move, .put, .draft, .save, .add, .delete, .point,
            .transact, .amend, .undo, .redo, .release, .resign, .restore, .restoreLost, .look, .decide, .resolve,
            .begin, .sync, .persist, .wake, .renew, .run, .stop, .later, .online:
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
        // Making a backup is not a fault.
        case .backup: nil
        case .restore, .anew: .restore
        case .purge: .purge
        case .clock: .clock
        // An edit for which there is no room is refused.
        case .room: .refuse
        // The end of a trouble is not a fault.
        case .trouble(let trouble): trouble == .none ? nil : .trouble
        }
    }
}
