/// What a live page reads, and what its buttons do.
package protocol InspectorSource: Sendable {
    /// The data, with a name of their state.
    ///
    /// - Parameter revision: The state that the page has; nil for none.
    /// - Returns: Nil if the page has the present state, or if it is too early to read a newer one.
    func data(since revision: String?) async throws -> (bytes: [UInt8], revision: String)?

    /// The contents of a record as JSON text; nil if there is no such record.
    func record(_ pk: String, in collection: String) async throws -> [UInt8]?

    /// Carries out the action of a button.
    ///
    /// - Returns: What was done, for the user.
    func act(_ action: InspectorAction) async throws -> String
}

/// Why an action of a page is not carried out, for the user.
package struct InspectorRefusal: Error, Hashable {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}
