/// What an input of the app came to, once it is in the store.
public struct Committed<Value> {
    /// What the app wanted to know.
    public let value: Value

    /// What there is to do now.
    public let effects: [SyncEffect]
}

extension Committed: Sendable where Value: Sendable {}
