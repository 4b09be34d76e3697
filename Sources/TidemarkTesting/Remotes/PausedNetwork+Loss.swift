import TidemarkCore
import TidemarkMachine

extension PausedNetwork {
    /// The default limit of ``deliverAll(losing:doubling:seed:requests:)``: far more than a test needs to settle its clients.
    public static let usualRequests = 10_000

    /// Delivers the requests, answers and hints of all clients until its task is cancelled; it loses some, and delivers some twice.
    ///
    /// ```swift
    /// let network = PausedNetwork(InProcessRemote(server))
    /// let client = try SyncClient(
    ///     store: MemoryStore(), remote: network, configuration: SyncConfiguration(), time: server.clock, seed: 1)
    /// async let _ = network.deliverAll(losing: 0.25, doubling: 0.25, seed: 1)      // until the end of this scope
    /// try await client["notes"].create(["title": "Milk"], pk: "42")
    /// try await client.settled(advancing: server.clock)
    /// ```
    ///
    /// A lost message is a request or an answer, each in half of the cases: a client can't know which. A request that is doubled
    /// reaches the server twice. The same seed decides the same about the same order of messages.
    ///
    /// - Parameters:
    ///   - losing: The share of messages that are lost, from 0 to 1.
    ///   - doubling: The share of messages that arrive twice; both shares are 1 at most together.
    ///   - seed: Decides about each message.
    ///   - limit: How many requests are delivered or lost. Each further one fails with a message that names this limit, so that a
    ///     client that sends requests without an end (I8) ends its test.
    /// - Precondition: The shares are from 0 to 1, also together.
    public func deliverAll(
        losing: Double, doubling: Double, seed: UInt64, requests limit: Int = PausedNetwork.usualRequests
    ) async {
        precondition(
            losing >= 0 && doubling >= 0 && losing + doubling <= 1,
            "Shares of messages are from 0 to 1, also together: \(losing) are lost and \(doubling) doubled.")
        await withDiscardingTaskGroup { group in
            if let hints = self.heldHints?.queue {
                group.addTask {
                    // Independent of the requests, so that a hint more or less changes nothing for them.
                    var fates = MessageFates(losing: losing, doubling: doubling, seed: ~seed)
                    while !Task.isCancelled, let hint = await hints.take() {
                        switch fates.next() {
                        case .requestLost, .answerLost: break
                        case .twice:
                            hint.deliver()
                            hint.deliver()
                        case .whole: hint.deliver()
                        }
                    }
                }
            }
            var fates = MessageFates(losing: losing, doubling: doubling, seed: seed)
            var count = 0
            while !Task.isCancelled, let request = await self.requests.take() {
                count += 1
                guard count <= limit else {
                    request.fail(Self.isOver(limit))
                    continue
                }
                switch fates.next() {
                case .requestLost: request.drop()
                case .answerLost: await request.dropAnswer()
                case .twice: await request.duplicate()
                case .whole: await request.deliver()
                }
            }
        }
    }

    private static func isOver(_ limit: Int) -> RemoteFailure {
        RemoteFailure(
            .offline,
            """
            The network of the test has carried \(limit) requests, its limit: a client sends requests without an end, or the \
            test needs a larger limit (deliverAll(losing:doubling:seed:requests:)).
            """)
    }
}

/// Draws the fates of messages from a seed.
private struct MessageFates {
    enum Fate {
        case whole, requestLost, answerLost, twice
    }

    private let losing: Double
    private let doubling: Double
    private var generator: SeededGenerator

    init(losing: Double, doubling: Double, seed: UInt64) {
        (self.losing, self.doubling, self.generator) = (losing, doubling, SeededGenerator(seed: seed))
    }

    mutating func next() -> Fate {
        let number = Double.random(in: 0..<1, using: &self.generator)
        if number < self.losing { return number < self.losing / 2 ? .requestLost : .answerLost }
        return number < self.losing + self.doubling ? .twice : .whole
    }
}
