public import TidemarkCore
import TidemarkRules

/// What every `Remote` must do over a server that keeps the rules W1 to W9 of SPEC §5, as a client sees it; checks for
/// whatever test framework.
///
/// ```swift
/// @Test(arguments: RemoteConformance.checks)
/// func `my remote keeps the contract`(check: RemoteConformance.Check) async throws {
///     try await check.run { MyRemote(to: try MyServer()) }
/// }
/// ```
///
/// ``examine(_:prefix:within:time:told:)`` runs them all over a server that is in use, and says what it saw.
///
/// An answer may take 30 s, a hint 20 s and a check ``usualLimit``. When it takes longer, the task of the request is cancelled, and
/// the error says what the check waited for and how long.
///
/// A server that no one here wrote is held to what its `RemoteCapabilities` say: ``checks(for:)`` chooses.
///
/// What needs a restart of the server, a purge, two accounts or a broken connection is not in it: only the
/// implementation knows how to make one.
public enum RemoteConformance {
    /// One property of a remote.
    public struct Check: Sendable, CustomStringConvertible {
        /// What a server has to be able to, for a check to be fair.
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
                // A row is the record, and nothing else, under the name that the client gave.
                case .ownRows: capabilities.names == .client && capabilities.members.isEmpty
                }
            }
        }

        /// A sentence that says what is checked.
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

        /// Checks it.
        ///
        /// - Parameter makeRemote: Makes a remote over a new, empty server.
        /// - Throws: ``ConformanceFailure`` where the remote does not do what it must or an answer takes too long, what
        ///   the remote itself threw, or an error that says that the time of the check is over.
        public func run(makeRemote: () async throws -> any Remote) async throws {
            try await self.run(on: try await makeRemote(), in: "notes")
        }

        /// Checks it over a server that is in use, in collections that nobody else writes to.
        ///
        /// - Parameters:
        ///   - remote: The server, as the account that may be written to.
        ///   - collection: A name that was never used there; all that is made is in it, or in one whose name begins with
        ///     it.
        /// - Throws: As ``run(makeRemote:)``.
        public func run(on remote: some Remote, in collection: String) async throws {
            do {
                try await self.runOrSkip(
                    on: remote, in: collection, time: ConformanceTime(within: RemoteConformance.usualLimit))
            } catch is ConformanceSkip {}
        }

        /// The same, and throws a ``ConformanceSkip`` where there is nothing to check.
        func runOrSkip(on remote: some Remote, in collection: String, time: ConformanceTime) async throws {
            try await self.body(RemoteProbe(remote, collection: collection, time: time))
        }

        /// The rules of SPEC §5 that it looks at: `W1` … `W9`; none where it looks at what all of them rest on.
        public var rules: [String] {
            let words = self.name.split { !$0.isLetter && !$0.isNumber }
            return words.filter { $0.first == "W" && $0.dropFirst().allSatisfy(\.isNumber) && $0.count > 1 }.map(
                String.init)
        }

        /// The name.
        public var description: String { self.name }
    }

    /// How long a run of checks may take, unless the caller says otherwise: 10 minutes.
    public static let usualLimit = ConformanceLimits.run

    /// The checks that are fair to a server: without those of what it says it can't do.
    ///
    /// ```swift
    /// let checks = RemoteConformance.checks(for: .native)      // or what your own remote declares
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
