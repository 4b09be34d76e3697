import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// A history that is said to be lost, until an answer shows who said it.
///
/// Not every server names an account when it refuses a watermark (``RemoteFailure/account``), and that of another account
/// refuses ours just so. The listing is begun at once; what can't be undone waits for the first answer: that what was sent
/// may have been forgotten (R18, SPEC §6), that the watermark, which shows whether the server went back, is of no more use, and
/// what was kept aside.
///
/// Where such a server answers one request alone in the name of another account, the next answer is ours and confirms what that
/// one said.
struct ClaimedLoss {
    let turn: Turn

    private var key: String { "claimed-loss/\(self.turn.collection)" }

    /// Whether a loss waits for an answer that confirms it.
    func isOpen() throws(TidemarkError) -> Bool { try self.turn.store.setting(self.key) != nil }

    /// The listing is about to begin. Only the first claim is about a watermark.
    func begin() throws(TidemarkError) {
        let state = try self.turn.state()
        guard try !self.isOpen() else { return }
        // One that was under way goes on as it was begun.
        try self.turn.store.set(self.key, to: state.isListing ? "" : state.watermark ?? "")
    }

    /// An answer for this store came: the loss is what it was said to be.
    ///
    /// - Returns: Whether there was one to confirm.
    func confirm() throws(TidemarkError) -> Bool {
        guard try self.isOpen() else { return false }
        try self.turn.store.set(self.key, to: nil)
        try LostHistory(turn: self.turn).confirm()
        return true
    }

    /// Another account answered, so it was another's history: ours is read on from where it was.
    func takeBack() throws(TidemarkError) {
        guard let watermark = try self.turn.store.setting(self.key) else { return }
        try self.turn.store.set(self.key, to: nil)
        try LostHistory(turn: self.turn).takeBack()
        guard !watermark.isEmpty else { return }
        try self.turn.change { state in
            state.watermark = watermark
            state.isListing = false
        }
    }

    /// The collection is forgotten.
    func forget() throws(TidemarkError) {
        try self.turn.store.set(self.key, to: nil)
    }
}
