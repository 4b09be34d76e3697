import TidemarkMachine

// The properties of a world at rest (SPEC §7).

extension World {
    /// Whether nothing is under way and nothing is new.
    private var isQuiet: Bool { self.flight == .none && self.ghosts.isEmpty && !self.hasNews }

    /// What is wrong with the last step, or with a rest that begins here.
    package var violation: String? {
        if let fault = self.fault { return fault }
        guard self.machine.hasLawfulBase else { return "I9: \(self.machine) has a base, and no open conflict" }
        guard self.isQuiet else { return nil }
        switch self.machine.phase {
        case .absent:
            if self.server.state.content != nil { return "I3: the server has \(self.server.state), and no one here" }
        case .synced:
            if self.machine.confirmed != self.server.state {
                return "I3: SYNCD with \(self.machine.confirmed), where the server has \(self.server.state)"
            }
            if self.setting.features.contains(.counting), self.machine.confirmed.content?.b ?? 0 != self.tally {
                return "I9: \(self.tally) were counted, and the server has \(self.server.state)"
            }
        case .edited, .created, .deleted:
            if !self.knowsServer { return "I6: the watermark passed \(self.server.state), which is not in the record" }
        }
        if self.machine.phase.activity == nil, self.isUnwanted, !self.server.isOthers, self.server.state.content != nil
        {
            return "I11: \(self.server.state) was given up, and the server has it"
        }
        return nil
    }

    /// I6: the newest row is in the record, or it waits beside it, or it is what an upload of unknown fate did.
    private var knowsServer: Bool {
        if self.machine.confirmed == self.server.state || self.machine.seen == self.server.state { return true }
        // A record that was erased forgets its tombstone. A create over it is sent again when it meets it (SPEC §5).
        // A delete of what is deleted is accepted whatever it knows (W7).
        if self.machine.phase.state == .deleted, self.server.state.content == nil { return true }
        let newest = self.machine.seen ?? self.machine.confirmed
        return newest.content == nil && self.server.state.content == nil
    }

    /// Whether the world may rest here: in step, or held with a reason shown.
    package var isGoal: Bool {
        self.isQuiet && (self.machine.phase.activity == nil || self.machine.phase.activity == .held)
    }
}
