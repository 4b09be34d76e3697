import Synchronization
import TidemarkJSON

/// Hands what changes to everyone who watches it.
final class ChangeHub: Sendable {
    /// What someone watches.
    enum Topic: Hashable {
        /// Every collection; what is touched is named by its collection.
        case client

        /// The records of a collection; what is touched is named by its pk.
        case collection(CodePointString)

        /// One record.
        case record(CodePointString, in: CodePointString)
    }

    private struct State {
        var watchers: [Topic: [Int: any Watcher]] = [:]
        var last = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Tells a watcher of what changes from now on, for as long as the subscription is kept.
    func watch<Watching: Watcher>(_ topic: Topic, _ watcher: Watching) -> Subscription<Watching> {
        let number = self.state.withLock { state in
            state.last += 1
            if !state.isFinished { state.watchers[topic, default: [:]][state.last] = watcher }
            return state.isFinished ? nil : state.last
        }
        guard let number else {
            watcher.finish()
            return Subscription(watcher) {}
        }
        return Subscription(watcher) { [weak self] in self?.remove(number, of: topic) }
    }

    /// How many watch.
    var count: Int { self.state.withLock { $0.watchers.values.reduce(0) { $0 + $1.count } } }

    /// Tells of a change that the app is told of.
    func tell(_ change: Change) {
        for watcher in self.watchers(of: .collection(CodePointString(change.collection))) { watcher.tell(change) }
        self.touch(change.pk, in: change.collection)
    }

    /// Tells that a record may not be what it was, or not stand where it stood.
    func touch(_ pk: String, in collection: String) {
        let (pk, collection) = (CodePointString(pk), CodePointString(collection))
        for watcher in self.watchers(of: .record(pk, in: collection)) { watcher.touch(pk) }
        for watcher in self.watchers(of: .collection(collection)) { watcher.touch(pk) }
        self.touch(collection)
    }

    /// Tells that a collection may not stand as it stood.
    func touch(_ collection: CodePointString) {
        for watcher in self.watchers(of: .client) { watcher.touch(collection) }
    }

    /// Tells that any record of a collection may not be what it was.
    func touchAll(of collection: String) {
        let collection = CodePointString(collection)
        let watchers = self.state.withLock { state in
            state.watchers.filter { $0.key.isOf(collection) }.values.flatMap(\.values)
        }
        for watcher in watchers { watcher.touchAll() }
        self.touch(collection)
    }

    /// Lets everyone go, and those who come later.
    func finish() {
        let watchers = self.state.withLock { state in
            defer { state.watchers = [:] }
            state.isFinished = true
            return state.watchers.values.flatMap(\.values)
        }
        for watcher in watchers { watcher.finish() }
    }

    deinit {
        self.finish()
    }

    private func watchers(of topic: Topic) -> [any Watcher] {
        self.state.withLock { $0.watchers[topic].map { Array($0.values) } ?? [] }
    }

    private func remove(_ number: Int, of topic: Topic) {
        self.state.withLock { state in
            state.watchers[topic]?[number] = nil
            if state.watchers[topic]?.isEmpty == true { state.watchers[topic] = nil }
        }
    }
}

extension ChangeHub.Topic {
    fileprivate func isOf(_ name: CodePointString) -> Bool {
        switch self {
        case .client: false
        case .collection(let collection), .record(_, in: let collection): collection == name
        }
    }
}
