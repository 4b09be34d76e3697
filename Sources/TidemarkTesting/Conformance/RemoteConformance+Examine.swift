public import TidemarkCore

extension RemoteConformance {
    /// Runs all applicable checks over a server in use, each in a separate collection, and deletes the checks' records.
    ///
    /// - Parameters:
    ///   - remote: The server, with an account that may be written to. The checks make a few hundred small records; their
    ///     tombstones remain until the server purges them.
    ///   - prefix: The prefix of all collection names; it must not have been used before.
    ///   - limit: The time limit of all checks together. A check that is unfinished then, and each later one, is
    ///     ``ConformanceReport/Outcome/unchecked(_:)``. The deletion of the records has 30 s more.
    ///   - time: The clock of all time limits; nil for the real one.
    ///   - told: Gets the report of each check when it is finished.
    /// - Returns: Why a record of the checks could not be deleted; nil if all were.
    /// - Throws: The error of `told`; the records are deleted in that case, too.
    public static func examine(
        _ remote: some Remote, prefix: String, within limit: Duration = Self.usualLimit,
        time: (any TimeSource)? = nil, told: (ConformanceReport) async throws -> Void
    ) async throws -> String? {
        let run = ConformanceRun(
            remote, of: ConformanceSubject(), prefix: prefix, time: ConformanceTime(time, within: limit))
        return try await run.examine(Self.checks(for: remote.capabilities), told: told)
    }

    /// Runs all checks that the subject allows, and reports each other one as skipped.
    ///
    /// - Parameters:
    ///   - remote: The server.
    ///   - subject: What the checks may use in addition to the remote.
    ///   - prefix: The prefix of all collection names, or of all pks in given collections.
    ///   - limit: The time limit of all checks together.
    ///   - time: The clock of all time limits; nil for the real one.
    ///   - isChosen: Whether a check is run; by default each is.
    ///   - told: Gets the report of each check when it is finished.
    /// - Returns: Why a record of the checks could not be deleted; nil if all were.
    package static func examine(
        _ remote: some Remote, of subject: ConformanceSubject, prefix: String, within limit: Duration,
        time: (any TimeSource)? = nil, where isChosen: (Check) -> Bool = { _ in true },
        told: (ConformanceReport) async throws -> Void
    ) async throws -> String? {
        let run = ConformanceRun(remote, of: subject, prefix: prefix, time: ConformanceTime(time, within: limit))
        let checks = Self.every.filter { !$0.isForOthers(than: remote.capabilities) && isChosen($0) }
        return try await run.examine(checks, told: told)
    }
}
