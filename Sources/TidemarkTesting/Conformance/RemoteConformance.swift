public import TidemarkCore
import TidemarkRules

/// The contract of every `Remote` over a server that keeps the rules W1 to W9 of Contract §5, from a client's point of view; checks
/// for any test framework.
///
/// ```swift
/// @Test(arguments: RemoteConformance.checks)
/// func `my remote keeps the contract`(check: RemoteConformance.Check) async throws {
///     try await check.run { MyRemote(to: try MyServer()) }
/// }
/// ```
///
/// ``examine(_:prefix:within:time:told:)`` runs them all over a server in use, and reports the evidence.
///
/// The time limit of an answer is 30 s, of a hint 20 s, and of a check ``usualLimit``. After that the task of the request is
/// cancelled, and the error says which event the check waited for, and how long.
///
/// A server of another vendor is checked against its declared `RemoteCapabilities`: ``checks(for:)`` chooses the checks.
///
/// The checks include no restart of the server, no purge, no second account and no broken connection: test these cases in the
/// implementation itself.
public enum RemoteConformance {
    /// One property of a remote.
    public struct Check: Sendable, CustomStringConvertible {
        /// The name of the check, a sentence.
        public let name: String

        let needs: [Need]
        let body: @Sendable (RemoteProbe) async throws -> Void

        init(_ name: String, needs: Need..., body: @escaping @Sendable (RemoteProbe) async throws -> Void) {
            self.init(name, needs: needs, body: body)
        }

        private init(_ name: String, needs: [Need], body: @escaping @Sendable (RemoteProbe) async throws -> Void) {
            self.name = name
            self.needs = needs
            self.body = body
        }

        func needing(_ need: Need) -> Check {
            Check(self.name, needs: self.needs + [need], body: self.body)
        }

        /// Runs the check.
        ///
        /// - Parameter makeRemote: Makes a remote over a new, empty server.
        /// - Throws: ``ConformanceFailure`` if the remote violates the contract or an answer takes too long; the error of the
        ///   remote; or an error if the time of the check is over.
        public func run(makeRemote: () async throws -> any Remote) async throws {
            try await self.run(on: try await makeRemote(), in: "notes")
        }

        /// Runs the check over a server in use, in collections that no other client writes to.
        ///
        /// - Parameters:
        ///   - remote: The server, with an account that may be written to.
        ///   - collection: A name that was never used there; all records are made in it, or in collections with names that
        ///     begin with it.
        /// - Throws: As ``run(makeRemote:)``.
        public func run(on remote: some Remote, in collection: String) async throws {
            do {
                try await self.runOrSkip(
                    on: remote, in: ConformancePlace(collection),
                    time: ConformanceTime(within: RemoteConformance.usualLimit))
            } catch is ConformanceSkip {}
        }

        /// Runs the check as ``run(on:in:)`` does, but throws a ``ConformanceSkip`` if it does not apply.
        func runOrSkip(
            on remote: some Remote, in place: ConformancePlace, of subject: ConformanceSubject = ConformanceSubject(),
            time: ConformanceTime
        ) async throws {
            try await self.body(RemoteProbe(remote, in: place, of: subject, time: time))
        }

        /// Whether the check is about a kind of server that this one is not: its absence is not a gap.
        func isForOthers(than capabilities: RemoteCapabilities) -> Bool {
            self.needs.contains { $0.isOfOthers && $0.absence(in: ConformanceSubject(), of: capabilities) != nil }
        }

        /// Why the check is not made; nil if it is.
        func absence(in subject: ConformanceSubject, of capabilities: RemoteCapabilities) -> String? {
            self.needs.lazy.compactMap { $0.absence(in: subject, of: capabilities) }.first
        }

        /// The rules of Contract §5 that it checks: `W1` … `W9`; none if it checks a precondition of all of them.
        public var rules: [String] {
            let words = self.name.split { !$0.isLetter && !$0.isNumber }
            return words.filter { $0.first == "W" && $0.dropFirst().allSatisfy(\.isNumber) && $0.count > 1 }.map(
                String.init)
        }

        /// The name.
        public var description: String { self.name }
    }

    /// The default time limit of a run of checks: 10 minutes.
    public static let usualLimit = ConformanceLimits.run

    /// The checks that apply to a server: without those of undeclared capabilities.
    ///
    /// ```swift
    /// let checks = RemoteConformance.checks(for: .native)      // or the capabilities of your own remote
    /// ```
    public static func checks(for capabilities: RemoteCapabilities) -> [Check] {
        Self.every.filter { $0.absence(in: ConformanceSubject(), of: capabilities) == nil }
    }

    /// The checks of a server that keeps the rules of Contract §5, `RemoteCapabilities.native`.
    public static let checks: [Check] = Self.checks(for: .native)

    /// All checks, also those that need more than a remote (``ConformanceSubject``).
    static let every: [Check] =
        Self.emptyChecks
        + (Self.feedChecks + Self.versionChecks + Self.deleteChecks + Self.repetitionChecks + Self.patchChecks
        + Self.textChecks + Self.hintChecks)
        .map { $0.needing(.ownRows) } + Self.anyServerChecks + Self.followingChecks + Self.wireChecks
        + Self.httpChecks + Self.strangerChecks + Self.restartChecks + Self.operatorChecks
}
