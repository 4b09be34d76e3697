extension RecordPhase {
    /// Whether an event in this phase is part of the main path, the transitions without any failure or conflict: a settled record
    /// changes, its bytes are sent, and the server accepts them.
    package func isOnMainPath(_ event: RecordEvent) -> Bool {
        switch self.activity {
        case nil: true
        case .idle: event == .sent
        case .uploading: event == .accepted
        case .unconfirmed, .deciding, .held: false
        }
    }
}
