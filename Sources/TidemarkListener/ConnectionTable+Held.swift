import Synchronization
import TidemarkServer

// What clients keep in the memory of the server, all of them together. A client alone is held to the limits of a body and of an
// answer; a thousand that take nothing of what they asked for would be held to nothing.

extension ConnectionTable {
    /// Whether so much is in memory for clients that nothing more is to come to it.
    var isFull: Bool { self.state.withLock { $0.held >= self.settings.heldBytes } }

    /// So many bytes of a body have come in.
    func hold(_ bytes: Int, for id: UInt) {
        self.state.withLock { $0.hold(bytes, for: id) }
    }

    /// The answer was made. Where its account has as many as it may that nobody takes, one that only reads is told to wait; what
    /// was written is answered.
    func answered(_ id: UInt, _ answer: ServerAnswer) {
        self.state.withLock { state in
            guard let connection = state.connections[id] else { return }
            let account = answer.account
            var answer = answer
            let others = account.flatMap { state.heldFor[$0] } ?? 0
            let isWritten = connection.record?.method == "POST"
            if !isWritten, others > 0, others + answer.size > self.settings.heldBytesPerAccount {
                var refusal = ServerResponse.tooBusy(self.settings)
                refusal.account = account
                answer = .whole(refusal)
            }
            state.hold(answer.size, of: account, for: connection)
            connection.answer = answer
        }
    }
}

extension ConnectionTable.State {
    /// What is in memory for a connection from now on.
    mutating func hold(_ bytes: Int, for id: UInt) {
        guard let connection = self.connections[id] else { return }
        self.hold(bytes, of: nil, for: connection)
    }

    /// The same, in the share of an account.
    mutating func hold(_ bytes: Int, of account: String?, for connection: ConnectionTable.Connection) {
        self.held += bytes - connection.held
        if let former = connection.account {
            let rest = self.heldFor[former, default: 0] - connection.held
            self.heldFor[former] = rest > 0 ? rest : nil
        }
        if let account, bytes > 0 { self.heldFor[account, default: 0] += bytes }
        connection.held = bytes
        connection.account = account
    }
}
