import TidemarkMachine
import TidemarkRules

extension SyncClient {
    /// The remote of a client without a server: `.none`.
    ///
    /// Such a client reads and edits the store of another program, the owner, whose own client sends the changes: for a widget or
    /// an extension. It is a guest (``SyncConfiguration/isGuest``), and treats records as the owner's server requires
    /// (``RemoteCapabilities``): the owner has saved that in the store. A sync of it throws ``TidemarkError/Code/noRemote``.
    ///
    /// ```swift
    /// let widget = try await SyncClient.open(store: .sqlite(at: path), remote: .none)
    /// try await widget["notes"]["42"].edit { $0.done = true }
    /// await widget.close()
    /// ```
    public struct NoRemote: Remote {
        fileprivate init() {}

        /// Those of a native server. A client without a server uses the stored ones instead: ``SyncClient/guarantees``.
        public var capabilities: RemoteCapabilities { .native }

        /// Fails as ``FailureClass/offline``; a client does not call it.
        public func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
            throw RemoteFailure(.offline, TidemarkError.noRemote.message)
        }
    }

    /// Refuses a call that needs a server.
    func requireRemote() throws(TidemarkError) {
        guard !(self.remote is NoRemote) else { throw .noRemote }
    }
}

extension Remote where Self == SyncClient.NoRemote {
    /// No server: the client only reads and edits the store of another program; see ``SyncClient/NoRemote``.
    public static var none: SyncClient.NoRemote { SyncClient.NoRemote() }
}

extension TidemarkError {
    static var noRemote: TidemarkError {
        TidemarkError(
            .noRemote,
            """
            This client has no server (remote: .none); the app's own client sends its changes. Sync there, or make this \
            client with a remote.
            """)
    }
}
