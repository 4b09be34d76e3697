import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// An input for a record's machine with its context: a verdict of a tactic or of the user, or any other input.
struct DrivenInput {
    /// A second record to create; the first one is the server's.
    struct Copy {
        /// The pk of the second record; nil lets the client make one.
        var pk: String?
        var content: RecordPayload
    }

    var input: Record.Machine.Input

    /// The reason if a value loses; nil for a value that a merge gives up.
    var reason: JournalEntry.Reason?

    /// The record for the client's side of a verdict that keeps both; it is created only if the machine accepts the verdict.
    var copy: Copy?

    /// The merge of the conflict that a verdict is about.
    var merge: RecordMerge?

    /// Whether an addition may lose: the record of the verdict is no merge of the sides, which would keep all additions.
    var mayDropAdditions = false

    /// Why the tactic's verdict is invalid.
    var problem: String?

    /// The reason if the record is held; nil for too many rounds.
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

    /// Whether it leaves a conflict to the user.
    var isLeftOpen: Bool {
        guard case .verdict(.ask, _) = self.input else { return false }
        return true
    }

    /// Makes the machine's input of a valid verdict.
    init(_ verdict: Verdict, about conflict: RecordConflict, _ fields: FieldRules) {
        let question = conflict.question
        switch verdict {
        case .clashes(let side):
            let whole: Record.Machine.Verdict = side == .server ? .server : .client
            let settled = fields.settling(conflict, for: side).map { Record.Machine.Verdict.content(RecordPayload($0)) }
            self.init(.verdict(settled ?? whole, about: question), side == .server ? .takeServer : .takeClient)
        case .fields(let answers):
            let side = answers.values.first ?? .server
            guard let record = fields.settling(conflict.asked, of: conflict, { answers[$0.path] }) else {
                // One side deleted the record.
                self.init(.clashes(side), about: conflict, fields)
                return
            }
            self.init(.verdict(.content(RecordPayload(record)), about: question), .merge)
        case .takeServer: self.init(.verdict(.server, about: question), .takeServer)
        case .takeClient: self.init(.verdict(.client, about: question), .takeClient)
        case .merge(let json):
            self.init(.verdict(.content(RecordPayload(json)), about: question), .merge)
            self.mayDropAdditions = true
        case .ask: self.init(.verdict(.ask, about: question))
        case .keepBoth(let pk):
            self.init(.verdict(.server, about: question), .takeServer)
            self.copy = question.client.map { Copy(pk: pk, content: $0) }
        }
        self.merge = conflict.merge
    }
}
