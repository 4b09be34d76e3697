import TidemarkMachine

extension StateDiagrams {
    var failuresPage: String {
        """
        # Failures

        ## Effects of each class of failure

        \(self.classes.text)
        After *lose*, each record that was in the POST is *unconfirmed*: the client sends the same bytes again, with
        the same `request_id`, before anything else of the collection.

        ## Held records

        \(self.figure(.held))
        \(self.account(of: RecordPhase.allCases.filter { $0.activity == .held }, name: \.description))
        """
    }

    private var classes: MarkdownTable {
        MarkdownTable(
            heads: ["class", "policy", "during", "event", "exchange", "actions"],
            rows: FailureClass.allCases.flatMap { failure in
                FailureDisposition.allCases.flatMap { course in
                    [ExchangePhase.getting, .posting].map { self.row(failure, course, during: $0) }
                }
            })
    }

    private func row(_ failure: FailureClass, _ course: FailureDisposition, during phase: ExchangePhase) -> [String] {
        let event = failure.event(course, whilePosting: phase == .posting)
        let outcome = self.outcome(of: event, in: phase)
        let policy = course == failure.course ? "\(course.rawValue) (default)" : course.rawValue
        return [failure.rawValue, policy, phase.rawValue, event.rawValue, outcome.target, outcome.actions]
    }

    private func outcome(of event: ExchangeEvent, in phase: ExchangePhase) -> (target: String, actions: String) {
        switch phase.transition(on: event) {
        case .move(let target, let actions): (target.rawValue, actions.description)
        case .stay: (phase.rawValue, "")
        case .impossible: preconditionFailure("\(event) can't occur in \(phase)")
        }
    }
}
