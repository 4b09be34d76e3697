import Tidemark

/// The server of a store that was never told of one: records can be made and changed, and wait.
struct UnreachableRemote: Remote {
    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        throw RemoteFailure(.offline, "This store has no server yet: run tidemark init with --remote URL.")
    }
}
