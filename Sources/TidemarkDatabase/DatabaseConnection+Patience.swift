import CSQLite

extension DatabaseConnection {
    /// Opens a file that one connection at a time may have, and waits for its turn.
    ///
    /// Two that open at the same moment can each hold what the other needs, and SQLite's own wait would then last for both
    /// until it ends. So whoever finds the file busy lets go of it whole, and comes again after a pause of its own length.
    ///
    /// - Parameter patience: For how long; zero tries once.
    /// - Throws: `busy` when another connection still has it then; else what opening throws.
    package static func openingAlone(
        _ location: DatabaseLocation, applicationID: Int32, patience: Duration
    ) throws(DatabaseError) -> DatabaseConnection {
        let deadline = ContinuousClock.now + patience
        while true {
            do throws(DatabaseError) {
                return try DatabaseConnection(
                    location, sharing: .none, applicationID: applicationID, busyTimeout: .zero)
            } catch {
                guard error.code == .busy, ContinuousClock.now < deadline else { throw error }
                sqlite3_sleep(Int32.random(in: Self.pause))
            }
        }
    }

    /// How many milliseconds to stay away from a busy file: less than a command takes, more than opening does.
    private static let pause: ClosedRange<Int32> = 5...40
}
