package import TidemarkRules

/// A store that clients can use in turns (Contract §14).
package protocol TurnTakingStore: RecordStore {
    associatedtype Turns: TurnTaking

    /// By which clients ask each other for the store; nil if it is not in a file.
    var turns: Turns? { get }

    /// Whether no other client has written since the store was suspended; false if it was not.
    var isUnchanged: Bool { get }
}

/// The connection between the clients of one store.
package protocol TurnTaking: AnyObject {
    /// Calls a function when another client asks for the store, until ``stop()``; on another thread. Not at all if the store does not
    /// take turns.
    func listen(_ asked: @escaping @Sendable () -> Void) throws(TidemarkError)

    /// Ends the calls.
    func stop()

    /// Asks the client that has the store open to hand it over.
    func ask()

    /// The client that has the store open; nil if none has.
    var holder: SyncClient.Holder? { get }
}

extension TurnTakingStore {
    var turnTaking: (any TurnTaking)? { self.turns }
}

extension SyncClient {
    /// A client that has a store open.
    public struct Holder: Hashable, Sendable {
        /// The number of its process.
        public var process: Int32

        /// The name of its program; nil if it is not known.
        public var program: String?

        /// When it opened the store, since 1970-01-01T00:00:00Z; nil if it is not known.
        public var since: Duration?

        /// Makes a value.
        public init(process: Int32, program: String? = nil, since: Duration? = nil) {
            self.process = process
            self.program = program
            self.since = since
        }
    }

    /// The client that has the store open: this one or, while it is suspended or has handed its store over, another one. Empty if
    /// none has, and for a store that is not in a file.
    ///
    /// ```swift
    /// for holder in await client.holders { print("\(holder.program ?? "process") \(holder.process)") }
    /// ```
    public var holders: [Holder] { (self.turns?.holder).map { [$0] } ?? [] }
}
