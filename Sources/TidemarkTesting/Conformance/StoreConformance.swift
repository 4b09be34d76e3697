public import TidemarkCore

/// What every `RecordStore` must do, as checks for the tests of an implementation, in whatever test framework.
///
/// ```swift
/// @Test(arguments: StoreConformance.checks)
/// func `my store keeps the contract`(check: StoreConformance.Check) throws {
///     try check.run { MyStore() }
/// }
/// ```
///
/// What needs a power cut, a full disk or a second process is not in it: only the implementation knows how to make one.
public enum StoreConformance {
    /// One property of a store.
    public struct Check: Sendable, CustomStringConvertible {
        /// A sentence that says what is checked.
        public let name: String

        let body: @Sendable (any RecordStore) throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (any RecordStore) throws -> Void) {
            self.name = name
            self.body = body
        }

        /// Checks it.
        ///
        /// - Parameter makeStore: Makes a new, empty store.
        /// - Throws: ``ConformanceFailure`` where the store does not do what it must, or what the store itself threw.
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
