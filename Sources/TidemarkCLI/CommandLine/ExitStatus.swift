import Tidemark

/// The exit status of a command (Contract §8).
enum ExitStatus: Equatable, CaseIterable {
    /// Success; for `sync`, everything is in sync.
    case success

    /// The command failed.
    case failure

    /// A conflict waits for the user's decision.
    case conflict

    /// A record is held.
    case held

    /// The server could not be reached, or its answer was invalid.
    case unreachable

    /// The server rejected the token, or another account answered.
    case unauthorized

    /// A usage error (EX_USAGE of sysexits.h).
    case usage

    /// The exit status for the outcome of a sync.
    init(_ outcome: SyncReport.Outcome) {
        switch outcome {
        case .inSync: self = .success
        case .conflicts: self = .conflict
        case .held, .waiting: self = .held
        case .unreachable: self = .unreachable
        // A retry does not help; the message has the remedy.
        case .notFound, .noCollections: self = .failure
        case .unauthorized: self = .unauthorized
        }
    }

    /// The meaning, for the help.
    var meaning: String {
        switch self {
        case .success: "success; sync: everything is in sync"
        case .failure: "failure; standard error has the reason"
        case .conflict: "sync: a conflict waits for the user; patch merge: a clash does"
        case .held: "sync: a record is held, or waits; tidemark explain prints the reason"
        case .unreachable: "the server could not be reached, or its answer was invalid"
        case .unauthorized: "the server rejected the token, or another account answered"
        case .usage: "usage error"
        }
    }

    /// The number that the shell gets.
    var code: Int32 {
        switch self {
        case .success: 0
        case .failure: 1
        case .conflict: 2
        case .held: 3
        case .unreachable: 4
        case .unauthorized: 5
        case .usage: 64
        }
    }
}
