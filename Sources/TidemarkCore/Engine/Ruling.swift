import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// What a record's machine is told next, and what goes with it: a verdict of a tactic or a person, or anything else.
struct Ruling {
    /// A record to make beside the server's.
    struct Copy {
        /// Its pk; nil lets the client make one.
        var pk: String?
        var content: RecordPayload
    }

    var input: Record.Machine.Input

    /// Why something loses by it; nil for what a merge gives up.
    var reason: JournalEntry.Reason?

    /// What keeping both sides makes of the client's; only where the machine takes the verdict.
    var copy: Copy?

    /// What is wrong with what the tactic said.
    var problem: String?

    /// Why the record is held, should it come to that; nil for too many rounds.
    var hold: RecordHold?

    init(
        _ input: Record.Machine.Input, _ reason: JournalEntry.Reason? = nil, problem: String? = nil,
        hold: RecordHold? = nil
    ) {
        self.input = input
        self.reason = reason
        self.problem = problem
        self.hold = hold
    }

    /// Whether it leaves a conflict to a person.
    var isLeftOpen: Bool {
        guard case .verdict(.ask, _) = self.input else { return false }
        return true
    }

    /// What a verdict without a flaw is for the machine.
    init(_ verdict: Verdict, about conflict: RecordConflict, _ fields: FieldRules) {
        let question = conflict.question
        switch verdict {
        case .clashes(let side):
            let whole: Record.Machine.Verdict = side == .server ? .server : .client
            let settled = fields.settling(conflict, for: side).map { Record.Machine.Verdict.content(RecordPayload($0)) }
            self.init(.verdict(settled ?? whole, about: question), side == .server ? .takeServer : .takeClient)
        case .takeServer: self.init(.verdict(.server, about: question), .takeServer)
        case .takeClient: self.init(.verdict(.client, about: question), .takeClient)
        case .merge(let json): self.init(.verdict(.content(RecordPayload(json)), about: question), .merge)
        case .ask: self.init(.verdict(.ask, about: question))
        case .keepBoth(let pk):
            self.init(.verdict(.server, about: question), .takeServer)
            self.copy = question.client.map { Copy(pk: pk, content: $0) }
        }
    }
}
