import Dispatch
import Synchronization
public import TidemarkServer

/// Announces the commits of other processes to the watches of this one (Contract §10).
///
/// It listens on a separate connection. After each reconnect, and periodically in any case, it reads the state of all watched
/// feeds: that makes up for missed notifications. A database without notifications is polled more often.
///
/// ```swift
/// let address = try PostgresAddress("postgresql://tidemark@db.example/tidemark")
/// let hints = PostgresHints(address, for: core)
/// hints.start()
/// ```
public final class PostgresHints: Sendable {
    /// How often the feeds are read.
    public struct Pace: Sendable, Hashable {
        /// While notifications arrive.
        public var listening: Duration = .seconds(15)
        /// While they do not.
        public var polling: Duration = .seconds(2)

        /// The default intervals.
        public init() {}
    }

    private let address: PostgresAddress
    private let core: ServerCore
    private let timeouts: PostgresTimeouts
    private let pace: Pace
    private let isOver = Atomic(false)

    /// The longest wait before it checks whether it should stop.
    private static let timeout = Duration.milliseconds(500)

    /// - Parameters:
    ///   - address: The address of the core's database.
    ///   - core: The server whose watches get the announcements.
    ///   - timeouts: The time limits of the database.
    ///   - pace: How often the feeds are read.
    public init(
        _ address: PostgresAddress, for core: ServerCore, timeouts: PostgresTimeouts = PostgresTimeouts(),
        pace: Pace = Pace()
    ) {
        self.address = address
        self.core = core
        self.timeouts = timeouts
        self.pace = pace
    }

    /// Begins on a separate thread, and runs until ``stop()``.
    public func start() {
        // The listening thread blocks on the database all the time, and would occupy a thread of the pool.
        DispatchQueue(label: "tidemark.hints").async { self.listen() }
    }

    /// Ends it soon.
    public func stop() {
        self.isOver.store(true, ordering: .relaxed)
    }

    private func listen() {
        var ear = PostgresEar(self.address, timeouts: self.timeouts)
        var looked: ContinuousClock.Instant?
        while !self.isOver.load(ordering: .relaxed) {
            let wasListening = ear.isListening
            for move in ear.moves(waiting: Self.timeout) {
                guard let collection = String(validating: move.collection, as: UTF8.self) else { continue }
                self.core.announce(move.feed, account: move.feed.account, collection: collection)
            }
            let pace = ear.isListening ? self.pace.listening : self.pace.polling
            let isDue = looked.map { ContinuousClock.now - $0 >= pace } ?? true
            // Commits from before it listened are detected only by reading the feeds.
            if isDue || (ear.isListening && !wasListening) {
                looked = .now
                self.core.announceAll()
            }
        }
    }
}
