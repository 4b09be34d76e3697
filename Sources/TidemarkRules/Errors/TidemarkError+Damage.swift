/// What is wrong inside of a record, before someone says which record it is.
private struct DamagedPart: Error {
    let what: String
    let cause: any Error
}

extension TidemarkError {
    /// Something that the store holds of a record can't be used.
    package static func damaged(_ what: String, _ cause: any Error) -> TidemarkError {
        TidemarkError(
            .recordDamaged, "A record in the store is damaged: \(what) (\(cause)).",
            cause: DamagedPart(what: what, cause: cause))
    }

    /// The same error with the name of its record, and with what a person can do; any other error as it is.
    package func naming(_ pk: String, in collection: String) -> TidemarkError {
        guard self.code == .recordDamaged, let part = self.cause as? DamagedPart else { return self }
        return TidemarkError(
            .recordDamaged,
            """
            “\(pk)” in \(collection) is damaged in this store: \(part.what) (\(part.cause)). Restore the store from a \
            backup; or resign the record, which gives up its change here and takes the server's version with the next sync.
            """,
            cause: part.cause)
    }
}
