import TidemarkRules

/// Carries an error of the app through a transaction, which it rolls back.
struct RefusedByApp: Error {
    let error: any Error

    /// Runs a closure of the app; wraps an error that is not a `TidemarkError`.
    static func wrapping<Value>(_ body: () throws -> Value) throws(TidemarkError) -> Value {
        do {
            return try body()
        } catch let error as TidemarkError {
            throw error
        } catch {
            throw TidemarkError(.refusedByApp, "The closure of the app threw: \(error).", cause: Self(error: error))
        }
    }

    /// Throws the wrapped error itself.
    static func rethrowing<Value>(_ body: () async throws(TidemarkError) -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            guard let refusal = error.cause as? Self else { throw error }
            throw refusal.error
        }
    }
}

extension TidemarkError.Code {
    /// Never visible to an app: the wrapped error is thrown instead.
    fileprivate static let refusedByApp = Self("refusedByApp")
}
