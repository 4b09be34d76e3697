import TidemarkMachine
package import TidemarkRules

// Actions on a record that was shown some time ago. The shown state has a digest, which is compared in the same call of the actor, so
// no other call can change the record between the comparison and the action (R22).

extension SyncClient {
    /// What a user does with a record that he saw.
    package enum ShownAction: Hashable, Sendable {
        case retry
        case resign

        /// Restores an entry of the journal.
        case restore(Int64)
    }

    /// A digest of a record as a user sees it: its content, what the server has, and what has to be decided. It is compared within one
    /// process. An upload that begins or fails does not change it: without a network the run loop tries it again and again, and a
    /// button would be refused for no reason that a user can see.
    package func digest(of pk: String, in collection: String) throws(TidemarkError) -> String {
        let engine = try self.engine(using: collection)
        var hasher = Hasher()
        if let stored = try engine.store.record(pk, in: collection) {
            hasher.combine(stored.phase.state)
            hasher.combine(stored.phase.needsAttention)
            hasher.combine(stored.confirmed)
            hasher.combine(stored.seen)
            hasher.combine(stored.base)
            hasher.combine(stored.hold)
            hasher.combine(try engine.snapshot(of: pk, in: collection)?.raw.content)
        }
        return String(UInt(bitPattern: hasher.finalize()), radix: 16)
    }

    /// Carries out an action if the record is still as it was shown.
    ///
    /// - Throws: ``TidemarkError/Code/staleDecision`` if it is not, and the errors of the action.
    package func act(
        _ action: ShownAction, on pk: String, in collection: String, ifStill digest: String
    ) throws(TidemarkError) {
        guard try self.digest(of: pk, in: collection) == digest else {
            throw TidemarkError(
                .staleDecision,
                "“\(pk)” in \(collection) has changed since it was shown. Read it again, and decide again.")
        }
        switch action {
        case .retry: try self.retry(pk, in: collection)
        case .resign: try self.resign(pk, in: collection)
        case .restore(let entry): try self.restore(entry, in: collection)
        }
    }
}

extension SyncClient {
    fileprivate func explanations(of pks: [String], in collection: String) throws(TidemarkError) -> [RecordExplanation?]
    {
        try self.engine(using: collection).explanations(of: pks, in: collection)
    }
}

extension SyncCollection {
    /// Why records are in their phases; nil for a damaged one.
    package func explanations(of pks: [String]) async throws(TidemarkError) -> [RecordExplanation?] {
        try await self.client.explanations(of: pks, in: self.name)
    }

    /// A digest of all that is stored of a record; see ``SyncClient/digest(of:in:)``.
    package func digest(of pk: String) async throws(TidemarkError) -> String {
        try await self.client.digest(of: pk, in: self.name)
    }
}
