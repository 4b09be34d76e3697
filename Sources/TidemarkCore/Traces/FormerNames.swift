/// Names in traces of version 2 and in stores from that time.
///
/// A reader needs no version to tell them apart: no name of one kind has had another meaning.
enum FormerNames {
    /// Returns the present name of a former one, and any other name as it is.
    static func present(_ name: String) -> String { self.all[name] ?? name }

    private static let all: [String: String] = [
        // Events of a record.
        "editedInDoubt": "editedUnconfirmed", "createdInDoubt": "createdUnconfirmed",
        "createdAgainInDoubt": "createdAgainUnconfirmed", "deletedInDoubt": "deletedUnconfirmed",
        "refusedInDoubt": "refusedUnconfirmed", "released": "retried", "withdrawn": "createAbandoned",
        "dissolved": "cancelledCreateRefused", "forgotten": "idempotencyLost", "undecided": "escalatedToUser",
        // Actions of a record.
        "summarise": "summarize", "consult": "runTactic", "appeal": "applyRefusalPolicy",
        // Events of an exchange.
        "dueToTryAccess": "retryAuth", "dueTooEarly": "throttled", "appliedInPart": "answerPartlyApplied",
        "applied": "answerApplied",
        // Actions of an exchange.
        "lose": "markUnconfirmed", "blame": "weighFailure", "charge": "countPoisonFailure", "acquit": "clearFailures",
        "clear": "resetFailures", "shorten": "shrinkPage", "pass": "advanceCursor", "endListing": "endResync",
        "startOver": "claimHistoryLoss", "rest": "throttle",
    ]
}
