public import TidemarkCore
import TidemarkRules

/// The contract of every `Remote` over a server that keeps the rules W1 to W9 of SPEC §5, from a client's point of view; checks
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
/// The checks need no restart of the server, no purge, no second account and no broken connection: only the implementation can
/// make these.
public enum RemoteConformance {
    /// One property of a remote.
    public struct Check: Sendable, CustomStringConvertible {
        /// A capability of the server that a check requires.
        enum Need {
            case condition, repetition, order, tombstones, exactValues, equalValues, listing, names, foundNames,
                ownRows,
                seen

            func isMet(by capabilities: RemoteCapabilities) -> Bool {
                switch self {
                case .condition: capabilities.condition != .none
                case .repetition: capabilities.repetition == .answeredAgain
                case .order: capabilities.feed == .ordered
                case .tombstones: capabilities.tombstones != .none
                case .exactValues: capabilities.values == .exact
                case .equalValues: capabilities.values != .rounded
                case .listing: capabilities.feed == .listing
                case .names: capabilities.names != .client
                case .foundNames: capabilities.names != .server
                case .seen: capabilities.judgesSeen
                // A row contains only the record, under the client's name.
                case .ownRows: capabilities.names == .client && capabilities.members.isEmpty
                }
            }
        }

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
                    on: remote, in: collection, time: ConformanceTime(within: RemoteConformance.usualLimit))
            } catch is ConformanceSkip {}
        }

        /// The same, but throws a ``ConformanceSkip`` if the check does not apply.
        func runOrSkip(on remote: some Remote, in collection: String, time: ConformanceTime) async throws {
            try await self.body(RemoteProbe(remote, collection: collection, time: time))
        }

        /// The rules of SPEC §5 that it checks: `W1` … `W9`; none if it checks a precondition of all of them.
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
        Self.every.filter { check in check.needs.allSatisfy { $0.isMet(by: capabilities) } }
    }

    /// The checks of a server that keeps the rules of SPEC §5, `RemoteCapabilities.native`.
    public static let checks: [Check] = Self.checks(for: .native)

    private static let every: [Check] =
        (Self.feedChecks + Self.versionChecks + Self.deleteChecks + Self.repetitionChecks + Self.textChecks
        + Self.hintChecks)
        .map { $0.needing(.ownRows) } + Self.anyServerChecks
}
