public import TidemarkCore

/// The contract of every `RecordStore`, as checks for the tests of an implementation, in any test framework.
///
/// ```swift
/// @Test(arguments: StoreConformance.checks)
/// func `my store keeps the contract`(check: StoreConformance.Check) throws {
///     try check.run { MyStore() }
/// }
/// ```
///
/// The checks include no power failure, full disk or second process: test these cases in the implementation itself.
public enum StoreConformance {
    /// One property of a store.
    public struct Check: Sendable, CustomStringConvertible {
        /// The name of the check, a sentence.
        public let name: String

        let body: @Sendable (any RecordStore) throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (any RecordStore) throws -> Void) {
            self.name = name
            self.body = body
        }

        /// Runs the check.
        ///
        /// - Parameter makeStore: Makes a new, empty store.
        /// - Throws: ``ConformanceFailure`` if the store violates the contract, or the error of the store.
        public func run(makeStore: () throws -> any RecordStore) throws {
            try self.body(try makeStore())
        }

        /// The name.
        public var description: String { self.name }
    }

    /// All checks.
    public static let checks: [Check] =
        Self.collectionChecks + Self.recordChecks + Self.listingChecks + Self.activityChecks + Self.pullingChecks
        + Self.namingChecks
        + Self.transactionChecks + Self.erasingChecks
}
