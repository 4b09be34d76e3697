import TidemarkJSON
import TidemarkMachine

extension SyncTrace {
    /// A difference between a trace and the machines of this version.
    public struct Difference: Hashable, Sendable, CustomStringConvertible {
        /// The line of the ``SyncTrace/text``, from 1.
        public let line: Int

        /// The transition of the trace and the one of the machines.
        public let message: String

        /// For example `line 7: …`.
        public var description: String { "line \(self.line): \(self.message)" }
    }

    /// Replays the trace with the transition tables of both machines, and returns the differences.
    ///
    /// Each transition has to be in the table of the record or of the exchange, with its actions. It has to begin in the phase
    /// in which the previous transition of the same record or exchange ended, or in one that follows from it without a
    /// transition: a page is applied to records without local changes, and a request can be lost. A record is sent only by an
    /// exchange that posts. The replay can't check whether an event was right: that depends on contents, and a trace has none.
    ///
    /// - Returns: The differences, in the order of the lines; after a difference the replay continues in the phase that the
    ///   trace has. Empty if the trace agrees.
    public func differences() -> [Difference] {
        var replay = TraceReplay()
        var differences: [Difference] = []
        for (index, entry) in self.entries.enumerated() {
            // The text has one line more, the header.
            differences += replay.take(entry.step).map { Difference(line: index + 2, message: $0) }
        }
        return differences
    }
}

/// The transition tables, and the phases that a trace has reached.
///
/// It takes one step at a time, so that a test can check a running client.
package struct TraceReplay: Sendable {
    fileprivate struct Collection: Sendable {
        /// The phase of the exchange; nil if the trace has not shown it yet.
        var exchange: ExchangePhase?

        /// How often the requests in flight became unconfirmed without a transition: a process ended, or the store could not
        /// save an answer.
        var losses = 0

        var records: [CodePointString: Place] = [:]

        /// Whether records were marked as sent since the last transition of the exchange: they are in the POST that it begins
        /// next.
        var isSending = false
    }

    fileprivate struct Place: Sendable {
        var phase: RecordPhase

        /// The number of losses of the collection at that time.
        var losses: Int
    }

    private var collections: [CodePointString: Collection] = [:]

    /// Makes a replay that knows no phase.
    package init() {}

    /// Replays the next step.
    ///
    /// - Returns: The differences from the machines, in words.
    package mutating func take(_ step: SyncTrace.Step) -> [String] {
        let name = CodePointString(step.collection)
        switch step {
        case .opened:
            self.collections[name, default: Collection()].exchange = .idle
            self.collections[name, default: Collection()].losses += 1
            return []
        case .forgotten:
            var collection = self.collections[name] ?? Collection()
            collection.exchange = .idle
            collection.records = collection.records.mapValues { Place(phase: .absent, losses: $0.losses) }
            self.collections[name] = collection
            return []
        case .record(let trace): return self.collections[name, default: Collection()].take(trace)
        case .exchange(let trace): return self.collections[name, default: Collection()].take(trace)
        }
    }
}

extension TraceReplay.Collection {
    fileprivate mutating func take(_ trace: ExchangeTrace) -> [String] {
        var differences: [String] = []
        if let exchange, exchange != trace.source {
            differences.append("the exchange was \(exchange), and “\(trace.event)” begins in \(trace.source)")
        }
        differences += Self.difference(
            "\(trace.event)", "\(trace.source)", Self.outcome(trace.source.transition(on: trace.event), trace.source),
            "\(trace.target)", trace.actions)
        if self.isSending, trace.target != .posting {
            differences.append("a record is sent while the exchange is \(trace.target)")
        }
        (self.exchange, self.isSending) = (trace.target, false)
        if trace.event == .storeFailed { self.losses += 1 }
        return differences
    }

    fileprivate mutating func take(_ trace: RecordTrace) -> [String] {
        let name = CodePointString(trace.pk)
        var differences: [String] = []
        if let place = self.records[name], !self.leads(from: place, to: trace.source) {
            differences.append("the record was \(place.phase), and “\(trace.event)” begins in \(trace.source)")
        }
        differences += Self.difference(
            "\(trace.event)", "\(trace.source)", Self.outcome(trace.source.transition(on: trace.event), trace.source),
            "\(trace.target)", trace.actions)
        if trace.event == .sent { self.isSending = true }
        self.records[name] = TraceReplay.Place(phase: trace.target, losses: self.losses)
        return differences
    }

    /// Whether a record in one phase can be in another at its next transition.
    private func leads(from place: TraceReplay.Place, to phase: RecordPhase) -> Bool {
        if place.phase == phase { return true }
        switch place.phase {
        // The rows of a page are applied without a transition to records that have no local change (R10).
        case .absent, .synced: return phase == .absent || phase == .synced
        case .edited(.uploading), .created(.uploading), .deleted(.uploading):
            // The record was in a request that ended without a transition (R17).
            guard self.losses > place.losses || self.exchange == nil,
                case .move(let target, _) = place.phase.transition(on: .lost)
            else { return false }
            return target == phase
        case .edited, .created, .deleted: return false
        }
    }

    // MARK: The tables

    private static func outcome<Phase, Actions: OptionSet>(
        _ transition: TableTransition<Phase, Actions>, _ source: Phase
    ) -> (String, Actions)? {
        switch transition {
        case .move(let target, let actions): ("\(target)", actions)
        case .stay: ("\(source)", [])
        case .impossible: nil
        }
    }

    private static func difference<Actions: Equatable & CustomStringConvertible>(
        _ event: String, _ source: String, _ expected: (target: String, actions: Actions)?, _ target: String,
        _ actions: Actions
    ) -> [String] {
        guard let expected else { return ["“\(event)” can't occur in \(source)"] }
        guard expected != (target, actions) else { return [] }
        func words(_ target: String, _ actions: Actions) -> String {
            let names = actions.description
            return "to \(target)\(names.isEmpty ? "" : " (\(names))")"
        }
        return [
            "“\(event)” leads from \(source) \(words(expected.target, expected.actions)), and not \(words(target, actions))"
        ]
    }
}
