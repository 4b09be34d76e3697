/// What an input of the app came to, once it is in the store.
package struct Committed<Value> {
    /// What the app wanted to know.
    package let value: Value

    /// What there is to do now.
    package let effects: [SyncEffect]
}

extension Committed: Sendable where Value: Sendable {}
