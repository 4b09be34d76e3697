/// The damage inside a record, before the name of the record is known.
private struct DamagedPart: Error {
    let what: String
    let cause: any Error
}

extension TidemarkError {
    /// Makes the error for a record in the store that can't be used.
    package static func damaged(_ what: String, _ cause: any Error) -> TidemarkError {
        TidemarkError(
            .recordDamaged, "A record in the store is damaged: \(what) (\(cause)).",
            cause: DamagedPart(what: what, cause: cause))
    }

    /// Returns the same error with the name of its record, and with advice for the user; any other error unchanged.
    package func naming(_ pk: String, in collection: String) -> TidemarkError {
        guard self.code == .recordDamaged, let part = self.cause as? DamagedPart else { return self }
        return TidemarkError(
            .recordDamaged,
            """
            “\(pk)” in \(collection) is damaged in this store: \(part.what) (\(part.cause)). Restore the store from a \
            backup; or resign the record, which discards its local change and takes the server's version with the next sync.
            """,
            cause: part.cause)
    }
}
