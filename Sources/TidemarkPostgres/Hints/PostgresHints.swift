import Dispatch
import Synchronization
public import TidemarkServer

/// Brings the hints of what other processes committed to the readers of this one (SPEC §10).
///
/// It listens on a connection of its own. Whenever that was made anew, and now and then in any case, it looks how all feeds stand
/// that are watched: what was missed is made good by that, and a database without notifications is looked at more often.
///
/// ```swift
/// let address = try PostgresAddress("postgresql://tidemark@db.example/tidemark")
/// let hints = PostgresHints(address, for: core)
/// hints.start()
/// ```
public final class PostgresHints: Sendable {
    /// How often it looks.
    public struct Pace: Sendable, Hashable {
        /// While notifications come.
        public var listening: Duration = .seconds(15)
        /// While they don't.
        public var polling: Duration = .seconds(2)

        /// The times as they are without a word said.
        public init() {}
    }

    private let address: PostgresAddress
    private let core: ServerCore
    private let timeouts: PostgresTimeouts
    private let pace: Pace
    private let isOver = Atomic(false)

    /// How long it waits at most until it looks whether it is to stop.
    private static let patience = Duration.milliseconds(500)

    /// - Parameters:
    ///   - address: The database of the core's storage.
    ///   - core: Whose readers are told.
    ///   - timeouts: How long the database may take.
    ///   - pace: How often it looks.
    public init(
        _ address: PostgresAddress, for core: ServerCore, timeouts: PostgresTimeouts = PostgresTimeouts(),
        pace: Pace = Pace()
    ) {
        self.address = address
        self.core = core
        self.timeouts = timeouts
        self.pace = pace
    }

    /// Begins, on a thread of its own, and goes on until ``stop()``.
    public func start() {
        // It waits for the database all the time, and would hold a thread of the pool.
        DispatchQueue(label: "tidemark.hints").async { self.listen() }
    }

    /// Ends it, soon.
    public func stop() {
        self.isOver.store(true, ordering: .relaxed)
    }

    private func listen() {
        var ear = PostgresEar(self.address, timeouts: self.timeouts)
        var looked: ContinuousClock.Instant?
        while !self.isOver.load(ordering: .relaxed) {
            let wasListening = ear.isListening
            for move in ear.moves(waiting: Self.patience) {
                guard let collection = String(validating: move.collection, as: UTF8.self) else { continue }
                self.core.announce(move.feed, account: move.feed.account, collection: collection)
            }
            let pace = ear.isListening ? self.pace.listening : self.pace.polling
            let isDue = looked.map { ContinuousClock.now - $0 >= pace } ?? true
            // What was committed before it listened is known from looking alone.
            if isDue || (ear.isListening && !wasListening) {
                looked = .now
                self.core.announceAll()
            }
        }
    }
}
