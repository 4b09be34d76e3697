import Tidemark

/// What a command says to the shell (SPEC §8).
enum ExitStatus: Equatable {
    /// All is well; for `sync`, all is in step.
    case success

    /// It did not work.
    case failure

    /// A conflict waits for a person.
    case conflict

    /// Something is held.
    case held

    /// The server could not be reached or understood.
    case unreachable

    /// The server does not know us, or someone else answers in its place.
    case unauthorised

    /// The words that were typed make no command (EX_USAGE of sysexits.h).
    case usage

    /// What a sync came to.
    init(_ outcome: SyncReport.Outcome) {
        switch outcome {
        case .inStep: self = .success
        case .conflicts: self = .conflict
        case .held: self = .held
        case .unreachable: self = .unreachable
        case .unauthorised: self = .unauthorised
        }
    }

    /// The number.
    var code: Int32 {
        switch self {
        case .success: 0
        case .failure: 1
        case .conflict: 2
        case .held: 3
        case .unreachable: 4
        case .unauthorised: 5
        case .usage: 64
        }
    }
}
