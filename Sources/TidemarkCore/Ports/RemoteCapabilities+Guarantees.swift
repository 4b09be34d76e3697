// The guarantees that follow from the capabilities of a server (Contract §12).

import TidemarkRules

extension RemoteCapabilities {
    /// How far each guarantee is kept: always, within a bound, reported when broken, or not, with the reason in words.
    public var guarantees: [SyncGuarantee: SyncGuarantee.Level] {
        Dictionary(uniqueKeysWithValues: SyncGuarantee.allCases.map { ($0, self.level(of: $0)) })
    }

    /// The guarantees that this server can't keep, so that data can be lost silently or doubled: the app has to accept each
    /// explicitly before a client is made.
    public var guaranteesNotKept: Set<SyncGuarantee> {
        var guarantees: Set<SyncGuarantee> = []
        if case .notKept = self.level(of: .noLostUpdates) { guarantees.insert(.noLostUpdates) }
        if self.names == .server { guarantees.formUnion([.toleratesMessageLoss, .noOrphans]) }
        return guarantees
    }

    private func level(of guarantee: SyncGuarantee) -> SyncGuarantee.Level {
        switch guarantee {
        case .noLostUpdates: self.acknowledgedWrites
        case .noLostEdits: self.localEdits
        case .convergence: self.agreement
        case .noSkippedRows: self.feedLevel
        case .toleratesMessageLoss: self.messages
        case .crashRecovery: self.kills
        case .noOrphans: self.orphans
        // These guarantees depend only on the client.
        case .exactData, .immutableUploads, .oneOutcome, .boundedRequests: .kept
        }
    }

    private var acknowledgedWrites: SyncGuarantee.Level {
        switch self.condition {
        case .atomic: .kept
        case .checkedFirst(.zero):
            .notKept(
                "the server checks no version, and no write is watched: "
                    + "another client's edit between reading and writing is overwritten, in the members that are sent")
        case .checkedFirst(let watch):
            .within(
                watch,
                "the server checks the version and then writes: a write that is overwritten later is not restored, "
                    + "and a deletion never is"
            )
        case .none: .notKept("the server checks no version: the last write overwrites the others")
        }
    }

    private var localEdits: SyncGuarantee.Level {
        switch self.values {
        case .exact, .byValue: .kept
        case .rounded:
            .reported("the server changes some values when it accepts them; the sent value is journalled as “altered”")
        }
    }

    private var feedLevel: SyncGuarantee.Level {
        switch self.feed {
        case .ordered, .listing: .kept
        case .late(let time): .within(time, "a row that becomes visible later than that is never read")
        }
    }

    private var agreement: SyncGuarantee.Level {
        switch (self.feed, self.tombstones) {
        // A record that a full resync does not contain is deleted.
        case (.listing, _): .kept
        case (_, .none): .notKept("the server does not report deletions")
        case (_, .kept(let time, isSignalled: false)):
            .within(
                time,
                "the server forgets deletions after that; a full resync in time finds the deleted records")
        case (_, .forever), (_, .kept(_, isSignalled: true)): self.feedLevel
        }
    }

    private var messages: SyncGuarantee.Level {
        if self.names == .server {
            return .notKept("the server names the records: a create whose answer was lost makes a second record")
        }
        if self.condition == .none || self.condition == .checkedFirst(watch: .zero) {
            return .notKept("the server checks no version: a late copy overwrites newer writes")
        }
        switch self.repetition {
        case .answeredAgain: return .kept
        case .recognized:
            return .reported(
                "the server does not recognize a repeated edit: if its answer is lost and another client writes the same "
                    + "field, the two conflict")
        }
    }

    private var kills: SyncGuarantee.Level {
        switch self.names {
        case .client, .member: .kept
        case .server: .notKept("the server names the records: a create that was in flight makes a second record")
        }
    }

    private var orphans: SyncGuarantee.Level {
        switch (self.names, self.repetition) {
        case (.server, _):
            .notKept(
                "the server names the records: if the answer to a create is lost, its record can't be found and "
                    + "deleted")
        case (.client, .recognized), (.member, .recognized):
            .notKept(
                "the server does not recognize a repeated edit: a late copy of a create is applied after the delete")
        case (.client, .answeredAgain), (.member, .answeredAgain): .kept
        }
    }
}

extension RemoteCapabilities {
    /// Throws unless the configuration accepts every guarantee that this server can't keep and that ``guaranteesNotKept`` names, and
    /// references that it can't resolve.
    func checkAcceptance(by configuration: SyncConfiguration) throws(TidemarkError) {
        let refers = configuration.collections.values.contains { !$0.references.isEmpty }
        guard !refers || self.names == .client || configuration.acceptsUntranslatedReferences else {
            throw TidemarkError(
                .guaranteeNotAccepted,
                """
                The server makes the names of new records, so it does not know the pk that a reference has. Remove \
                CollectionRules.references; or, if the server keeps each pk in a member and resolves references by it, set \
                configuration.acceptsUntranslatedReferences = true.
                """)
        }
        let guarantees = self.guaranteesNotKept.subtracting(configuration.accepts).sorted()
        guard !guarantees.isEmpty else { return }
        let reasons = guarantees.compactMap { guarantee -> String? in
            guard case .notKept(let reason) = self.guarantees[guarantee] else { return nil }
            return "\(guarantee.rule) can't be kept over this server: \(reason)."
        }
        let names = guarantees.map { ".\($0.rawValue)" }.joined(separator: ", ")
        throw TidemarkError(
            .guaranteeNotAccepted,
            "\(reasons.joined(separator: " ")) If the app can do without, set configuration.accepts = [\(names)]."
        )
    }
}
