import Synchronization
import TidemarkServer

// The memory that the server uses for all clients together. The limits of a body and of an answer bound the memory of one
// client; a thousand clients that don't read their answers would need a thousand times as much.

extension ConnectionTable {
    /// Whether the memory for clients is used up, so that no more may be added.
    var isFull: Bool { self.state.withLock { $0.held >= self.settings.heldBytes } }

    /// Records how many bytes of a body have arrived.
    func hold(_ bytes: Int, for id: UInt) {
        self.state.withLock { $0.hold(bytes, for: id) }
    }

    /// Stores an answer. If the unread answers of its account reach the limit, a request that only reads gets a refusal
    /// instead; a POST always gets its answer.
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
    /// Sets the number of bytes in memory for a connection.
    mutating func hold(_ bytes: Int, for id: UInt) {
        guard let connection = self.connections[id] else { return }
        self.hold(bytes, of: nil, for: connection)
    }

    /// Sets the number of bytes in memory for a connection; they count for an account.
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
