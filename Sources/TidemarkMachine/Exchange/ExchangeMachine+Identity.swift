// The account and the history (epoch) of an answer.

extension ExchangeMachine {
    /// The account and the history (epoch) that an answer or failure names, or that a store has; nil for none.
    package struct Identity: Hashable, Sendable {
        package var account: Name?

        package var epoch: Name?

        /// Names an account and a history.
        package init(account: Name? = nil, epoch: Name? = nil) {
            self.account = account
            self.epoch = epoch
        }

        /// Returns whose it is, for a store: a store never mixes two accounts, nor a cursor two histories (W8).
        package func origin(in store: Identity) -> Origin {
            if let named = self.account, let own = store.account, named != own { return .otherAccount }
            if let named = self.epoch, let own = store.epoch, named != own { return .otherHistory }
            return .ours
        }
    }

    /// Whose an answer or failure is.
    package enum Origin: Hashable, Sendable {
        /// It is of the store's account and history. A store that has none belongs to those of the answer from then on.
        case ours

        /// It is of another account: nothing of it is applied.
        case otherAccount

        /// It is of another history of the account: the server was rolled back.
        case otherHistory
    }

    /// Returns whether an answer to the request is the first page of a full resync that is requested. It may be of another history,
    /// if nothing pauses; any other page of another history is the failure *history lost* (Contract §6).
    package func isFirstPage(startsOver: Bool) -> Bool { startsOver && self.request.cursors.cursor == nil }

}
