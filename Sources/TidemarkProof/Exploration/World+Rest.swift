import TidemarkMachine

// The properties of a world without requests and without unread changes on the server (Contract §7).

extension World {
    /// Whether no request is in progress and the client has read all changes of the server.
    private var isQuiet: Bool { self.flight == .none && self.ghosts.isEmpty && !self.hasNews }

    /// The violation of the last step, or of an end in this state; nil without a violation.
    package var violation: String? {
        if let fault = self.fault { return fault }
        guard self.machine.hasLawfulBase else { return "I9: \(self.machine) has a base, and no open conflict" }
        guard self.isQuiet else { return nil }
        switch self.machine.phase {
        case .absent:
            if self.server.state.content != nil {
                return "I3: the server has \(self.server.state), and the client has no record"
            }
        case .synced:
            if self.machine.confirmed != self.server.state {
                return "I3: SYNCD with \(self.machine.confirmed), where the server has \(self.server.state)"
            }
            if self.setting.features.contains(.counting), self.machine.confirmed.content?.b ?? 0 != self.tally {
                return "I9: \(self.tally) were counted, and the server has \(self.server.state)"
            }
        case .edited, .created, .deleted:
            if !self.knowsServer { return "I6: the cursor passed \(self.server.state), which is not in the record" }
        }
        if self.machine.phase.activity == nil, self.isUnwanted, !self.server.isOthers, self.server.state.content != nil
        {
            return "I11: \(self.server.state) was discarded, and the server has it"
        }
        return nil
    }

    /// I6: the newest row is the confirmed state of the record, or is stored as seen; a deletion on the server need not
    /// be, if the record is deleted or has no content.
    private var knowsServer: Bool {
        if self.machine.confirmed == self.server.state || self.machine.seen == self.server.state { return true }
        // An erased record does not store its tombstone. A create over the tombstone is sent again with its version (Contract §5).
        // The server accepts a delete of a deleted record with any version (W7).
        if self.machine.phase.state == .deleted, self.server.state.content == nil { return true }
        let newest = self.machine.seen ?? self.machine.confirmed
        return newest.content == nil && self.server.state.content == nil
    }

    /// Whether the world may end in this state: in sync, or held with a reason.
    package var isGoal: Bool {
        self.isQuiet && (self.machine.phase.activity == nil || self.machine.phase.activity == .held)
    }
}
