import TidemarkCore
import TidemarkMachine
import TidemarkServer
import TidemarkTesting

/// The model of the server's content, built only from its answers. Devices are compared with it. It implements the rules of
/// the wire (Contract §5), and shares no code with the server or the engine.
struct ServerLedger {
    /// The present rows, tombstones included.
    private(set) var rows: [SimulationStep.Place: StoredVersion] = [:]

    /// The answer to each edit and its time, by request id (W4).
    private var answers: [String: Answer] = [:]

    /// The answer to an edit, its time, and its size in bytes.
    private struct Answer {
        var outcome: UploadResult.Outcome
        var time: Int64
        var size: Int
    }

    /// The maximum size in bytes of a result that the server stores for repetitions. Of a larger result it stores the version,
    /// and repeats the answer with the present row.
    var rememberedBytes = ServerLimits().rememberedResult

    private var keepsVersionsOnly: Bool { self.rememberedBytes < ServerLimits().rememberedResult }

    /// The last version of each collection (W3).
    private var last: [String: Int] = [:]

    /// The sender of an edit.
    struct Sender {
        var name: String
        /// Whether its user removed a word, or its journal has it.
        var mayLose: (Int) -> Bool
    }

    /// Applies the server's answer to a request of its account.
    ///
    /// - Parameters:
    ///   - sizes: The size of each result in bytes, by request id.
    ///   - time: The server's clock, in microseconds.
    /// - Returns: The rows that are new.
    mutating func take(
        _ answer: ExchangeAnswer, _ sizes: [String: Int], to request: ExchangeRequest, of sender: Sender, at time: Int64
    ) throws(SimulationViolation) -> [(SimulationStep.Place, StoredVersion)] {
        var fresh: [(SimulationStep.Place, StoredVersion)] = []
        for upload in request.uploads {
            guard let outcome = answer.results.first(where: { $0.requestID == upload.requestID })?.outcome else {
                throw SimulationViolation("W5", "an edit has no result", upload.requestID)
            }
            // An edit without room was not read. A later answer has its result.
            guard outcome != .unknown else { continue }
            let place = SimulationStep.Place(collection: request.collection, pk: upload.pk)
            if let former = self.answers[upload.requestID] {
                try self.check(outcome, over: former, of: upload, at: place)
                continue
            }
            self.answers[upload.requestID] = Answer(
                outcome: outcome, time: time, size: sizes[upload.requestID, default: 0])
            switch outcome {
            case .accepted(let version):
                if try self.write(version, at: place, by: upload, of: sender) { fresh.append((place, version)) }
            case .conflicted(let version):
                try SimulationViolation.unless(
                    version == self.rows[place] ?? StoredVersion(), "W2", "a conflict answer lacks the present row",
                    place.text)
            case .refused, .unknown: break
            }
        }
        try self.check(answer.page, of: request.collection)
        return fresh
    }

    /// W4, W10: a repeated edit gets the former answer, and the server does not store an answer that is too large.
    private func check(
        _ outcome: UploadResult.Outcome, over former: Answer, of upload: UploadRequest, at place: SimulationStep.Place
    ) throws(SimulationViolation) {
        let present = self.present(former.outcome, at: place)
        try SimulationViolation.unless(
            former.outcome == outcome || self.keepsVersionsOnly && outcome == present, "W4",
            "a repeated edit gets a different answer", "\(place.text): \(outcome), not \(former.outcome)")
        // A create that is sent again has the bytes of its row.
        guard former.size > self.rememberedBytes, former.outcome.hasRow, outcome != present,
            upload.intent != .create || former.outcome.isConflicted
        else { return }
        throw SimulationViolation(
            "§3.7", "a result beyond the size limit is stored", "\(former.size) bytes of \(place.text)")
    }

    /// This outcome with the present row.
    private func present(_ outcome: UploadResult.Outcome, at place: SimulationStep.Place) -> UploadResult.Outcome {
        let row = self.rows[place] ?? StoredVersion()
        return switch outcome {
        case .accepted: .accepted(row)
        case .conflicted: .conflicted(row)
        case .refused, .unknown: outcome
        }
    }

    /// Stores a row of a server that does less; its writes are checked one by one.
    mutating func store(_ version: StoredVersion, at place: SimulationStep.Place) { self.rows[place] = version }

    /// W1, W3, W9, I1.
    private mutating func write(
        _ version: StoredVersion, at place: SimulationStep.Place, by upload: UploadRequest, of sender: Sender
    ) throws(SimulationViolation) -> Bool {
        let former = self.rows[place]
        guard version.version != former?.version else { return false }
        if former?.data != nil || upload.intent != .delete, upload.version != former?.version {
            throw SimulationViolation("W1", "an edit of another version is accepted", place.text)
        }
        guard let number = version.version.flatMap({ Int($0) }), number > self.last[place.collection, default: 0] else {
            // A delete of a missing record changes nothing (W7).
            if version == StoredVersion(), former == nil { return false }
            throw SimulationViolation("W3", "a version does not grow", place.text)
        }
        self.last[place.collection] = number
        self.rows[place] = version
        let gone = SimulatedWords.found(in: former?.data).subtracting(SimulatedWords.found(in: version.data))
        let lost = gone.filter { !sender.mayLose($0) }
        try SimulationViolation.unless(
            lost.isEmpty, "I1", "an acknowledged write is overwritten without a conflict",
            "\(SimulatedWords.text(lost)) in \(place.text), by \(sender.name)")
        return true
    }

    /// A page has the present rows.
    private func check(_ page: FeedPage, of collection: String) throws(SimulationViolation) {
        for row in page.rows {
            let place = SimulationStep.Place(collection: collection, pk: page.pk(of: row))
            try SimulationViolation.unless(
                page.version(of: row) == self.rows[place], "W3", "the feed shows a row that is not the present one",
                place.text)
        }
    }

    /// Removes answers and tombstones that are beyond the horizon (W4, W7).
    mutating func forget(before time: Int64) {
        self.answers = self.answers.filter { $0.value.time >= time }
        self.rows = self.rows.filter { _, row in row.data != nil || row.version.flatMap { Int64($0) } ?? 0 >= time }
    }

    /// The number of records and their bytes.
    var usage: (rows: Int, bytes: Int) {
        self.rows.values.reduce(into: (0, 0)) { usage, version in
            guard let data = version.data else { return }
            usage.0 += 1
            usage.1 += data.count
        }
    }

    var words: Set<Int> {
        self.rows.values.reduce(into: []) { $0.formUnion(SimulatedWords.found(in: $1.data)) }
    }
}

extension UploadResult.Outcome {
    fileprivate var isConflicted: Bool {
        if case .conflicted = self { true } else { false }
    }

    /// Whether it has a record or a tombstone.
    fileprivate var hasRow: Bool {
        switch self {
        case .accepted(let version), .conflicted(let version): version.version != nil
        case .refused, .unknown: false
        }
    }
}
