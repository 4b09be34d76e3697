public import TidemarkCore
import TidemarkDatabase
import TidemarkRules

extension SyncClient {
    /// Reads tables of the app's projections, and any other table of the store.
    ///
    /// ```swift
    /// let found = try await client.readTables { (tables) in
    ///     try tables.rows(
    ///         """
    ///         SELECT pk FROM app_search JOIN app_search_row ON id = app_search.rowid
    ///         WHERE app_search MATCH ?1 ORDER BY rank LIMIT 50
    ///         """, "milk")
    /// }
    /// let pks = found.compactMap { $0[0].text }
    /// ```
    ///
    /// The body runs on the client's executor, so all its statements read the same state. Other calls of the client wait for it.
    ///
    /// - Parameters:
    ///   - projection: The name of the projection that must be complete; nil if all must be.
    ///   - body: Reads; its statements can't write.
    /// - Throws: ``TidemarkError/Code/projectionIncomplete``, the errors of the body, and the errors of the store.
    public func readTables<Value: Sendable>(
        of projection: String? = nil, _ body: @Sendable (ProjectionTables) throws -> Value
    ) throws -> Value {
        try self.withStore { store in
            guard let store = store as? SQLiteStore else {
                throw TidemarkError(
                    .projectionIncomplete,
                    "The store of this client has no projections. Use one that has: .sqlite(at:projections:).")
            }
            return try store.readTables(of: projection, body)
        }
    }
}

extension SQLiteStore {
    /// Reads tables of the app.
    package func readTables<Value>(
        of projection: String? = nil, _ body: (ProjectionTables) throws -> Value
    ) throws -> Value {
        do {
            return try self.projections.read(projection, body)
        } catch let error as DatabaseError {
            throw TidemarkError(error)
        }
    }

    /// The collections of the projections.
    package var projectedCollections: [String] { self.projections.collections }
}
