import Tidemark

/// What a command says to the shell (SPEC §8).
enum ExitStatus: Equatable, CaseIterable {
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
        // To try again does not help: the words of it say what does.
        case .notFound, .noCollections: self = .failure
        case .unauthorised: self = .unauthorised
        }
    }

    /// What it says, in words.
    var meaning: String {
        switch self {
        case .success: "done; sync: all is in step"
        case .failure: "it failed, and standard error says why; sync: also when another URL or a collection is needed"
        case .conflict: "sync: a conflict waits for a person; patch merge: a clash does"
        case .held: "sync: something is held; tidemark status says why"
        case .unreachable: "sync: the server could not be reached or understood"
        case .unauthorised: "sync: the server does not accept the token, or another account answers"
        case .usage: "the words that were typed make no command"
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
