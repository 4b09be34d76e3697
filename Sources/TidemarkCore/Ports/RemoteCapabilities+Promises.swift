// What follows from what a server can be trusted with (SPEC §12).

import TidemarkRules

extension RemoteCapabilities {
    /// Which promises are kept, kept within a bound, reported when broken, or not made, with the reason in words.
    public var promises: [SyncPromise: SyncPromise.Standing] {
        Dictionary(uniqueKeysWithValues: SyncPromise.allCases.map { ($0, self.standing(of: $0)) })
    }

    /// What an app has to accept by name before there is a client: what is lost without a word, and what is doubled.
    public var mustBeAccepted: Set<SyncPromise> {
        var promises: Set<SyncPromise> = []
        if case .notKept = self.standing(of: .i1) { promises.insert(.i1) }
        if self.names == .server { promises.formUnion([.i9, .i11]) }
        return promises
    }

    private func standing(of promise: SyncPromise) -> SyncPromise.Standing {
        switch promise {
        case .i1: self.acknowledgedWrites
        case .i2: self.localEdits
        case .i3: self.agreement
        case .i6: self.feedStanding
        case .i9: self.messages
        case .i10: self.kills
        case .i11: self.orphans
        // The client's own doing, whatever the server is.
        case .i4, .i5, .i7, .i8: .kept
        }
    }

    private var acknowledgedWrites: SyncPromise.Standing {
        switch self.condition {
        case .atomic: .kept
        case .checkedFirst(let watch):
            .within(
                watch,
                "the server checks the version and then writes: what was overwritten later is not put back, and a deletion never is"
            )
        case .none: .notKept("the server checks no version: whoever writes last overwrites the others")
        }
    }

    private var localEdits: SyncPromise.Standing {
        switch self.values {
        case .exact, .byValue: .kept
        case .rounded:
            .reported("the server changes some values as it takes them; what was sent is journalled as “altered”")
        }
    }

    private var feedStanding: SyncPromise.Standing {
        switch self.feed {
        case .ordered, .listing: .kept
        case .late(let time): .within(time, "a row that becomes visible later than that is never read")
        }
    }

    private var agreement: SyncPromise.Standing {
        switch (self.feed, self.tombstones) {
        // What a listing does not name is gone.
        case (.listing, _): .kept
        case (_, .none): .notKept("the server does not tell what was deleted")
        case (_, .kept(let time, isSignalled: false)):
            .within(
                time,
                "the server forgets deletions after that; what is gone is learnt from a listing of everything in time")
        case (_, .forever), (_, .kept(_, isSignalled: true)): self.feedStanding
        }
    }

    private var messages: SyncPromise.Standing {
        if self.names == .server {
            return .notKept("the server names the records: a create whose answer was lost makes a second one")
        }
        if self.condition == .none {
            return .notKept("the server checks no version: a copy that comes late overwrites what was written since")
        }
        switch self.repetition {
        case .answeredAgain: return .kept
        case .recognised:
            return .reported(
                "the server does not know an edit again: where its answer is lost and someone else writes the same field, "
                    + "the two clash")
        }
    }

    private var kills: SyncPromise.Standing {
        switch self.names {
        case .client, .member: .kept
        case .server: .notKept("the server names the records: a create that was under way makes a second one")
        }
    }

    private var orphans: SyncPromise.Standing {
        switch (self.names, self.repetition) {
        case (.server, _):
            .notKept("the server names the records: one whose answer was lost can't be found to delete it")
        case (.client, .recognised), (.member, .recognised):
            .notKept(
                "the server does not know an edit again: a copy of a create that comes late lands after the delete")
        case (.client, .answeredAgain), (.member, .answeredAgain): .kept
        }
    }
}

extension RemoteCapabilities {
    /// Whether an app that configures a client so knows what it does without.
    func checkAcceptance(by configuration: SyncConfiguration) throws(TidemarkError) {
        let promises = self.mustBeAccepted.subtracting(configuration.accepts).sorted()
        guard !promises.isEmpty else { return }
        let reasons = promises.compactMap { promise -> String? in
            guard case .notKept(let reason) = self.promises[promise] else { return nil }
            return "\(promise.name) can't be kept over this server: \(reason)."
        }
        let names = promises.map { ".\($0.rawValue)" }.joined(separator: ", ")
        throw TidemarkError(
            .promiseNotAccepted,
            "\(reasons.joined(separator: " ")) Where the app can do without, it says so: configuration.accepts = [\(names)]."
        )
    }
}
