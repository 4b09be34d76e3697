/// One step of a schema, from one version to the next.
package struct DatabaseMigration: Sendable {
    /// What the step does, for errors.
    package let name: String
    /// Changes the schema; runs inside a transaction.
    package let apply: @Sendable (DatabaseConnection) throws(DatabaseError) -> Void

    package init(_ name: String, apply: @escaping @Sendable (DatabaseConnection) throws(DatabaseError) -> Void) {
        self.name = name
        self.apply = apply
    }

    /// Makes a step of SQL alone.
    package init(_ name: String, sql: String) {
        self.init(name) { (database: DatabaseConnection) throws(DatabaseError) in
            try database.execute(sql)
        }
    }
}

/// Migrates a file to the newest schema, one transaction for each step.
///
/// The number of applied steps is the file's `user_version`. Steps are only added at the end: a released step never changes.
package struct DatabaseMigrator: Sendable {
    private let migrations: [DatabaseMigration]

    /// The version of a file with all steps.
    package var newestVersion: Int64 {
        Int64(self.migrations.count)
    }

    package init(_ migrations: [DatabaseMigration]) {
        self.migrations = migrations
    }

    /// Runs the steps that the file lacks; a step that fails leaves the file at the version before it.
    ///
    /// - Throws: `newerVersion` if the file has unknown steps; `readOnly` if steps are
    ///   missing and the connection may not write.
    package func migrate(_ database: DatabaseConnection) throws(DatabaseError) {
        try self.refuseNewer(try database.userVersion(), in: database)
        // The version is read again inside each transaction: another process may be doing the same.
        while try database.userVersion() < self.newestVersion {
            try database.requireWrites(for: self.newestVersion)
            try database.transaction { () throws(DatabaseError) in
                try self.takeOneStep(in: database)
            }
        }
    }

    private func takeOneStep(in database: DatabaseConnection) throws(DatabaseError) {
        let version = try database.userVersion()
        try self.refuseNewer(version, in: database)
        guard version < self.newestVersion else { return }
        let migration = self.migrations[Int(version)]
        do throws(DatabaseError) {
            try migration.apply(database)
            try database.setUserVersion(Int32(version + 1))
        } catch {
            throw DatabaseError(
                code: error.code,
                message: "The step “\(migration.name)” to version \(version + 1) failed. \(error.message)",
                extendedCode: error.extendedCode)
        }
    }

    private func refuseNewer(_ version: Int64, in database: DatabaseConnection) throws(DatabaseError) {
        guard version >= 0 else {
            throw DatabaseError(
                code: .foreignDatabase,
                message: "\(database.path): version \(version) was not written by this program. Name the right file.")
        }
        guard version <= self.newestVersion else {
            throw DatabaseError(
                code: .newerVersion,
                message: """
                    \(database.path): the file has version \(version), and this program knows versions up to \
                    \(self.newestVersion). Update the program that opens it.
                    """)
        }
    }
}
