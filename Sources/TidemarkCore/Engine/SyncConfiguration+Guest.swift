import TidemarkRules

extension SyncConfiguration {
    /// The configuration with which a guest runs: nothing in it decides about a value.
    ///
    /// The owner's rules are code of another program, so a guest can't know them. Each value here leaves the matter open: a conflict
    /// stays a conflict, a refused change is held, and a rolled-back server pauses the guest before anything is applied. Indexes and
    /// references are those in the store.
    var asGuest: SyncConfiguration {
        var guest = self
        guest.rules = self.rules.asGuest
        guest.collections = self.collections.mapValues(\.asGuest)
        guest.policies.refused = .leave
        guest.serverRolledBack = .pause
        return guest
    }

    /// Whether collections have the indexes and references that are stored, whatever the rules.
    var usesStoredIndexes: Bool { self.isGuest || self.keepsIndexes }
}

extension CollectionRules {
    fileprivate var asGuest: CollectionRules { CollectionRules(tactic: .askUser, fields: self.fields) }
}
