import TidemarkCore
import TidemarkMachine
import TidemarkServer
import TidemarkTesting

/// What the server has, kept beside it from its answers alone: the model that devices are held against. It knows the rules of
/// the wire (SPEC §5), and nothing of how a server or an engine keeps them.
struct ServerLedger {
    /// The present rows, tombstones included.
    private(set) var rows: [SimulationStep.Place: StoredVersion] = [:]

    /// What each edit was answered and when, by its id (W4).
    private var answers: [String: Answer] = [:]

    /// What an edit was answered, when, and in how many bytes.
    private struct Answer {
        var outcome: UploadResult.Outcome
        var time: Int64
        var size: Int
    }

    /// Up to how many bytes the server keeps a result for repetitions as it was. Of a larger one it keeps which version it brought,
    /// and then brings the present row.
    var rememberedBytes = ServerLimits().rememberedResult

    private var keepsVersionsOnly: Bool { self.rememberedBytes < ServerLimits().rememberedResult }

    /// The last version of each collection (W3).
    private var last: [String: Int] = [:]

    /// Who has sent an edit, as far as the model needs to know.
    struct Sender {
        var name: String
        /// The words that its user took back, or that are in its journal.
        var mayLose: (Int) -> Bool
    }

    /// Takes in what the server answered to a request of its own account.
    ///
    /// - Parameters:
    ///   - sizes: How many bytes each result has, by the id of its edit.
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
            // What was not looked at for want of room will be, and is answered then.
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
                guard version == self.rows[place] ?? StoredVersion() else {
                    throw SimulationViolation("W2", "a conflict does not bring the present row", place.text)
                }
            case .refused, .unknown: break
            }
        }
        try self.check(answer.page, of: request.collection)
        return fresh
    }

    /// W4, W10: what was answered before is answered again, and what is too large to be kept is not kept.
    private func check(
        _ outcome: UploadResult.Outcome, over former: Answer, of upload: UploadRequest, at place: SimulationStep.Place
    ) throws(SimulationViolation) {
        let present = self.present(former.outcome, at: place)
        guard former.outcome == outcome || self.keepsVersionsOnly && outcome == present else {
            throw SimulationViolation(
                "W4", "an edit is answered otherwise than before",
                "\(place.text): \(outcome), not \(former.outcome)")
        }
        // What a create has made is in what is sent again.
        guard former.size > self.rememberedBytes, former.outcome.hasRow, outcome != present,
            upload.intent != .create || former.outcome.isConflicted
        else { return }
        throw SimulationViolation(
            "§3.7", "a result is kept whole that is larger than its limit", "\(former.size) bytes of \(place.text)")
    }

    /// The same outcome with the row as it is now.
    private func present(_ outcome: UploadResult.Outcome, at place: SimulationStep.Place) -> UploadResult.Outcome {
        let row = self.rows[place] ?? StoredVersion()
        return switch outcome {
        case .accepted: .accepted(row)
        case .conflicted: .conflicted(row)
        case .refused, .unknown: outcome
        }
    }

    /// W1, W3, W9, I1.
    private mutating func write(
        _ version: StoredVersion, at place: SimulationStep.Place, by upload: UploadRequest, of sender: Sender
    ) throws(SimulationViolation) -> Bool {
        let former = self.rows[place]
        guard version.stamp != former?.stamp else { return false }
        if former?.data != nil || upload.intent != .delete, upload.version != former?.stamp {
            throw SimulationViolation("W1", "an edit of another version is accepted", place.text)
        }
        guard let stamp = version.stamp.flatMap({ Int($0) }), stamp > self.last[place.collection, default: 0] else {
            // A delete of what is not there changes nothing (W7).
            if version == StoredVersion(), former == nil { return false }
            throw SimulationViolation("W3", "a version does not grow", place.text)
        }
        self.last[place.collection] = stamp
        self.rows[place] = version
        let gone = SimulatedWords.found(in: former?.data).subtracting(SimulatedWords.found(in: version.data))
        let lost = gone.filter { !sender.mayLose($0) }
        guard lost.isEmpty else {
            throw SimulationViolation(
                "I1", "what was acknowledged is overwritten, and nobody is told",
                "\(SimulatedWords.text(lost)) in \(place.text), by \(sender.name)")
        }
        return true
    }

    /// Rows are shown as they are now.
    private func check(_ page: FeedPage, of collection: String) throws(SimulationViolation) {
        for row in page.rows {
            let place = SimulationStep.Place(collection: collection, pk: page.pk(of: row))
            guard page.version(of: row) == self.rows[place] else {
                throw SimulationViolation("W3", "the feed shows a row that is not the present one", place.text)
            }
        }
    }

    /// Answers are remembered up to the horizon, and a purge moves it (W4, W7).
    mutating func forget(before time: Int64) {
        self.answers = self.answers.filter { $0.value.time >= time }
        self.rows = self.rows.filter { _, row in row.data != nil || row.stamp.flatMap { Int64($0) } ?? 0 >= time }
    }

    /// How many records there are, and how many bytes they have.
    var usage: (rows: Int, bytes: Int) {
        self.rows.values.reduce(into: (0, 0)) { usage, version in
            guard let data = version.data else { return }
            usage.0 += 1
            usage.1 += data.count
        }
    }

    /// All words in the rows.
    var words: Set<Int> {
        self.rows.values.reduce(into: []) { $0.formUnion(SimulatedWords.found(in: $1.data)) }
    }
}

extension UploadResult.Outcome {
    fileprivate var isConflicted: Bool {
        if case .conflicted = self { true } else { false }
    }

    /// Whether it brings a record, or a tombstone.
    fileprivate var hasRow: Bool {
        switch self {
        case .accepted(let version), .conflicted(let version): version.stamp != nil
        case .refused, .unknown: false
        }
    }
}
