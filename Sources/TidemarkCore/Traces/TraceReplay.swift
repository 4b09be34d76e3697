import TidemarkJSON
import TidemarkMachine

extension SyncTrace {
    /// Where a trace and the machines of this version disagree.
    public struct Difference: Hashable, Sendable, CustomStringConvertible {
        /// The line of the ``SyncTrace/text``, from 1.
        public let line: Int

        /// What the trace says and what the machines say.
        public let message: String

        /// Such as `line 7: …`.
        public var description: String { "line \(self.line): \(self.message)" }
    }

    /// Plays the trace through on the tables of both machines, and says where they disagree.
    ///
    /// Each transition has to be the one that the tables of record and exchange choose, with its actions; each has to begin
    /// where the last one of that record or exchange has ended; and a record is sent only by an exchange that posts. What it
    /// does not say is whether an event was named rightly: that depends on contents, and a trace has none.
    ///
    /// - Returns: The differences, in the order of the lines; after one, the trace is believed. None when all is as it should
    ///   be.
    public func differences() -> [Difference] {
        var replay = TraceReplay()
        var differences: [Difference] = []
        for (index, entry) in self.entries.enumerated() {
            // The text has a line more, at its beginning.
            differences += replay.take(entry.step).map { Difference(line: index + 2, message: $0) }
        }
        return differences
    }
}

/// The two tables, and where a trace has led so far.
///
/// It takes step by step, so that a test can look on while something runs.
package struct TraceReplay: Sendable {
    fileprivate struct Collection: Sendable {
        /// Where the exchange stands; nil while the trace has not said so.
        var exchange: ExchangePhase?

        /// How often what was out was left to its fate without a transition that says so: a process ended, or the store
        /// could not take in an answer.
        var losses = 0

        var records: [CodePointString: Place] = [:]

        /// Whether records were sent since the exchange moved last: they are chosen for the POST that it begins next.
        var isSending = false
    }

    fileprivate struct Place: Sendable {
        var phase: RecordPhase

        /// The collection's losses when it got there.
        var losses: Int
    }

    private var collections: [CodePointString: Collection] = [:]

    /// Begins where nothing is known.
    package init() {}

    /// Takes in what happened next.
    ///
    /// - Returns: Where it differs from what the machines say, in words.
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
            differences.append("the exchange was \(exchange), and “\(trace.event)” finds it \(trace.source)")
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
            differences.append("the record was \(place.phase), and “\(trace.event)” finds it \(trace.source)")
        }
        differences += Self.difference(
            "\(trace.event)", "\(trace.source)", Self.outcome(trace.source.transition(on: trace.event), trace.source),
            "\(trace.target)", trace.actions)
        if trace.event == .sent { self.isSending = true }
        self.records[name] = TraceReplay.Place(phase: trace.target, losses: self.losses)
        return differences
    }

    /// Whether a record that got somewhere is found where the trace finds it next.
    private func leads(from place: TraceReplay.Place, to phase: RecordPhase) -> Bool {
        if place.phase == phase { return true }
        switch place.phase {
        // The rows of a page are taken in as a whole where nothing was changed here (R10).
        case .absent, .synced: return phase == .absent || phase == .synced
        case .edited(.uploading), .created(.uploading), .deleted(.uploading):
            // It was in the hands of an exchange that ended without a word (R17).
            guard self.losses > place.losses || self.exchange == nil,
                case .move(let target, _) = place.phase.transition(on: .lost)
            else { return false }
            return target == phase
        case .edited, .created, .deleted: return false
        }
    }

    // MARK: The tables

    private static func outcome(_ transition: RecordTransition, _ source: RecordPhase) -> (String, RecordActions)? {
        switch transition {
        case .move(let target, let actions): ("\(target)", actions)
        case .stay: ("\(source)", [])
        case .impossible: nil
        }
    }

    private static func outcome(
        _ transition: ExchangeTransition, _ source: ExchangePhase
    ) -> (String, ExchangeActions)? {
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
