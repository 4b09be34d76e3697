import Synchronization
import TidemarkJSON

/// Delivers changes to everyone who watches them.
final class ChangeHub: Sendable {
    /// The subject of a watcher.
    enum Topic: Hashable {
        /// Every collection; the watcher gets the name of a changed collection.
        case client

        /// The records of a collection; the watcher gets the pk of a changed record.
        case collection(CodePointString)

        /// One record.
        case record(CodePointString, in: CodePointString)
    }

    private struct State {
        var watchers: [Topic: [Int: any Watcher]] = [:]
        var last = 0
        var isFinished = false

        func watchers(of topic: Topic) -> [any Watcher] {
            self.watchers[topic].map { Array($0.values) } ?? []
        }
    }

    /// The watchers that one record concerns.
    private struct Circle {
        var pk: CodePointString
        var collection: CodePointString
        var ofRecord: [any Watcher]
        var ofCollection: [any Watcher]
        var ofClient: [any Watcher]

        func touch() {
            for watcher in self.ofRecord + self.ofCollection { watcher.touch(self.pk) }
            for watcher in self.ofClient { watcher.touch(self.collection) }
        }
    }

    private let state = Mutex(State())

    /// Registers a watcher for changes from now on, while the subscription is kept.
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

    /// The number of watchers.
    var count: Int { self.state.withLock { $0.watchers.values.reduce(0) { $0 + $1.count } } }

    /// Delivers a change that the app is notified of.
    func tell(_ change: RecordChange) {
        let collection = CodePointString(change.collection)
        let circle = self.circle(CodePointString(change.pk), in: collection)
        for watcher in circle?.ofCollection ?? [] { watcher.tell(change) }
        circle?.touch()
    }

    /// Reports that a record, or its phase, may have changed.
    func touch(_ pk: String, in collection: String) {
        self.circle(CodePointString(pk), in: CodePointString(collection))?.touch()
    }

    /// Reports that the status of a collection may have changed.
    func touch(_ collection: CodePointString) {
        let watchers = self.state.withLock { $0.watchers(of: .client) }
        for watcher in watchers { watcher.touch(collection) }
    }

    /// Reports that any record of a collection may have changed.
    func touchAll(of collection: String) {
        let collection = CodePointString(collection)
        let watchers = self.state.withLock { state in
            state.watchers.filter { $0.key.isOf(collection) }.values.flatMap(\.values)
        }
        for watcher in watchers { watcher.touchAll() }
        self.touch(collection)
    }

    /// Reports that any record of any collection may have changed.
    func touchEverything() {
        let watchers = self.state.withLock { $0.watchers.values.flatMap(\.values) }
        for watcher in watchers { watcher.touchAll() }
    }

    /// Ends every watch, and each later one.
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

    /// Returns the watchers of a record, of its collection, and of every collection; nil at once if there are no watchers: a
    /// pull calls this for every row.
    private func circle(_ pk: CodePointString, in collection: CodePointString) -> Circle? {
        self.state.withLock { state in
            guard !state.watchers.isEmpty else { return nil }
            return Circle(
                pk: pk, collection: collection, ofRecord: state.watchers(of: .record(pk, in: collection)),
                ofCollection: state.watchers(of: .collection(collection)), ofClient: state.watchers(of: .client))
        }
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
