public import TidemarkCore

/// What every ``Remote`` must do over a server that keeps the rules W1 to W9 of SPEC §5, as a client sees it; checks for
/// whatever test framework.
///
/// ```swift
/// @Test(arguments: RemoteConformance.checks)
/// func `my remote keeps the contract`(check: RemoteConformance.Check) async throws {
///     try await check.run { MyRemote(to: try MyServer()) }
/// }
/// ```
///
/// What needs a restart of the server, a purge, two accounts or a broken connection is not in it: only the
/// implementation knows how to make one.
public enum RemoteConformance {
    /// One property of a remote.
    public struct Check: Sendable, CustomStringConvertible {
        /// A sentence that says what is checked.
        public let name: String

        let body: @Sendable (RemoteProbe) async throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (RemoteProbe) async throws -> Void) {
            self.name = name
            self.body = body
        }

        /// Checks it.
        ///
        /// - Parameter makeRemote: Makes a remote over a new, empty server.
        /// - Throws: ``ConformanceFailure`` where the remote does not do what it must, or what the remote itself threw.
        public func run(makeRemote: () async throws -> any Remote) async throws {
            try await self.body(RemoteProbe(try await makeRemote(), collection: "notes"))
        }

        /// The name.
        public var description: String { self.name }
    }

    /// All checks.
    public static let checks: [Check] =
        Self.feedChecks + Self.versionChecks + Self.deleteChecks + Self.repetitionChecks + Self.textChecks
}
