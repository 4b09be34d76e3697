import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

// The content of a request: its size, its order, and repeated uploads (Contract §3.1, §3.6, §3.7).

/// The unanswered uploads of a collection on a simulated device.
struct SimulatedBatches {
    /// The edits of the last failed POST: a request id for each pk.
    var last: [String: String] = [:]

    /// How many POSTs have failed in a row for a reason that their edits may have caused.
    var failures = 0

    /// Whether a failure demands a smaller batch at once.
    var isTooLarge = false

    /// The maximum number of edits in a POST after failures; nil for as many as fit.
    var most: Int?

    /// The records that failed alone.
    var alone: Set<String> = []

    /// Stores that a POST failed and the device knows it.
    mutating func fail(_ uploads: [UploadRequest], _ failure: RemoteFailure, _ setting: SimulationSetting) {
        self.last = uploads.reduce(into: [:]) { $0[$1.pk] = $1.requestID }
        if let upload = uploads.first, uploads.count == 1 { self.alone.insert(upload.pk) }
        switch failure.failureClass {
        // No edit can be the cause.
        case .busy where failure.blame == .server, .invalidAnswer where failure.blame != .unknown: return
        case .busy, .invalidAnswer:
            self.failures += 1
            if self.failures > 1, uploads.count > 1 { self.most = max(1, uploads.count / 2) }
        case .offline:
            self.failures += 1
            if self.failures > setting.unansweredPosts, uploads.count > 1 { self.most = max(1, uploads.count / 2) }
        case .refused, .historyLost: self.isTooLarge = true
        case .auth, .portal, .notFound, .identityChanged, .cancelled: return
        }
        if failure.failureClass != .offline { self.isTooLarge = self.isTooLarge || self.failures > 1 }
        self.isTooLarge = self.isTooLarge || self.failures > setting.unansweredPosts
    }

    /// Stores that a POST was answered.
    ///
    /// - Parameter batchSize: The limit of the client that has sent it.
    mutating func succeed(_ batchSize: Int) {
        let most = self.most.map { $0 * 2 }
        self = SimulatedBatches()
        self.most = most.flatMap { $0 < batchSize ? $0 : nil }
    }
}

extension SimulationRun {
    /// A request is within the limits, and its edits have the order of their changes.
    func checkBatch(_ request: ExchangeRequest, isNew: Bool, of device: SimulatedDevice) throws {
        let place = "\(request.collection) on \(device.name)"
        guard request.cursor.map({ $0.utf8.count }) ?? 0 <= Self.longestName else {
            throw SimulationViolation("§3.7", "a cursor beyond the size limit is stored", place)
        }
        guard !request.uploads.isEmpty else { return }
        let (bytes, rows) = request.uploads.reduce(into: (0, 0)) { sizes, upload in
            sizes.0 += upload.encodedEdit.count
            sizes.1 += max(upload.encodedEdit.count, upload.base?.count ?? 0)
        }
        let isOne = request.uploads.count == 1
        try SimulationViolation.unless(
            isOne || bytes <= self.setting.bodyBytes && rows <= self.setting.answerBytes, "§3.7",
            "a request is larger than its limit", place)
        // Values that a rolled back server lost may be written again.
        if isNew, !self.server.isRolledBack { try self.checkOrder(request, of: device) }
        let batches = device.batches[request.collection] ?? SimulatedBatches()
        try SimulationViolation.unless(
            request.uploads.count <= batches.most ?? .max, "§3.6", "a batch that was halved is whole again at once",
            place)
        // If the server lost the former POST, some of its rows may be ours. A version of the app that writes edits differently may
        // have no room for all of them.
        if !isNew { try self.checkOrderAgain(request, of: device) }
        guard !isNew, device.process.client != .tool, self.isSumKnown, self.setting.hasRoom, batches.alone.count < 2,
            !batches.isTooLarge
        else {
            return
        }
        // An edit that the feed has shown meanwhile needs no answer any more.
        let again = try batches.last.filter { pk, id in
            try device.store.record(pk, in: request.collection)?.upload?.requestID == id
        }
        try SimulationViolation.unless(
            request.uploads.count >= again.count, "§3.6", "a batch is halved after one failure", place)
    }

    /// The most bytes of a name that a server gives (Contract §3.7).
    static let longestName = 4_096

    private func checkOrder(_ request: ExchangeRequest, of device: SimulatedDevice) throws {
        var last = 0
        for upload in request.uploads {
            let place = SimulationStep.Place(collection: request.collection, pk: upload.pk)
            guard let number = device.queue[place] else { continue }
            try SimulationViolation.unless(
                number >= last, "§3.1", "changes are not sent in their order", "\(place.text) on \(device.name)")
            last = number
        }
    }

    /// Repeated uploads have their first order, except for poison suspects (R17, Contract §3.6).
    private func checkOrderAgain(_ request: ExchangeRequest, of device: SimulatedDevice) throws {
        let uploads = try request.uploads.map { upload in
            (
                upload.pk, device.firstSent[upload.requestID],
                try device.store.record(upload.pk, in: request.collection)?.failures
            )
        }
        for (former, next) in zip(uploads, uploads.dropFirst()) {
            guard former.2 == next.2, let first = former.1, let second = next.1, first.post == second.post,
                first.place > second.place
            else { continue }
            throw SimulationViolation(
                "§3.1", "changes are sent again in another order", "\(request.collection) \(next.0) on \(device.name)")
        }
    }

    /// Updates the queue after a write of a record. A record is in the queue while it has a change to send.
    func queue(_ record: StoredRecord?, _ place: SimulationStep.Place, on device: SimulatedDevice) {
        switch record?.phase.state {
        case .edited, .created, .deleted: device.queue[place] = device.queue[place] ?? device.inputs
        case .synced, nil: device.queue[place] = nil
        }
    }
}

// MARK: - Outcomes of writes

extension SimulationRun {
    /// Contract §8: the reported outcome of a write is true.
    func checkOutcomes(of device: SimulatedDevice) throws {
        guard device.device.outcomes.count > device.outcomesSeen else { return }
        device.outcomesSeen = device.device.outcomes.count
        for (number, wait) in device.waits {
            guard let outcome = device.device.outcomes[number] else { continue }
            device.waits[number] = nil
            try self.check(outcome, of: wait, on: device)
        }
    }

    func check(_ outcome: WriteOutcome, of wait: SimulatedDevice.Wait, on device: SimulatedDevice) throws {
        let isThere =
            wait.word.map {
                self.server.acknowledged.contains($0) || device.takenBack.contains($0)
                    || device.journalled.contains($0)
            } ?? true
        try SimulationViolation.unless(
            outcome != .accepted || isThere, "§8", "a write counts as accepted that the server never had",
            "\(wait.place.text) on \(device.name)")
        guard case .rejected = outcome, self.isDrawn, self.setting.refused != .resign else { return }
        throw SimulationViolation(
            "§8", "a write counts as discarded that no policy discarded", "\(wait.place.text) on \(device.name)")
    }

    /// An entry about a value of the server names the version that had it.
    func check(_ entry: StoredJournalEntry, in collection: String, on device: SimulatedDevice) throws {
        let words = SimulatedWords.found(in: entry.value)
        guard entry.reason != .altered || self.server.lesser?.form.isRounding == true else {
            throw SimulationViolation(
                "I2", "a value counts as altered that no server altered", "\(entry.pk) on \(device.name)")
        }
        if entry.reason == .altered { self.server.lesser?.tally.altered += 1 }
        // A lost value that is sent again without the user replaces no unsent local value (Contract §6).
        let waiting = words.filter { device.pending[$0] != nil }
        let view =
            waiting.isEmpty ? [] : try self.view(.init(collection: collection, pk: entry.pk), device)?.bytes ?? []
        guard entry.reason != .restore || self.isRestoring || waiting.isSubset(of: SimulatedWords.found(in: view))
        else {
            throw SimulationViolation(
                "§6", "a value that a server lost replaces a newer one",
                "\(SimulatedWords.text(words)) in \(collection) \(entry.pk) on \(device.name)")
        }
        guard entry.lost == .server, entry.reason != .serverRolledBack, !words.isEmpty, let version = entry.version
        else {
            return
        }
        let place = SimulationStep.Place(collection: collection, pk: entry.pk)
        let versions = self.server.versions[place, default: []].filter { $0.version == version }
        guard versions.contains(where: { words.isSubset(of: SimulatedWords.found(in: $0.data)) }) else {
            throw SimulationViolation(
                "I2", "a journal names a version that never had the lost value", "\(place.text) on \(device.name)")
        }
    }

    /// A decision about clashes leaves all other fields as the side that changed them has them.
    func checkUnasked(_ conflict: RecordConflict, _ device: SimulatedDevice) throws {
        guard let base = conflict.base, let server = conflict.server, let client = conflict.client else { return }
        let place = SimulationStep.Place(collection: conflict.collection, pk: conflict.pk)
        guard let view = try self.view(place, device) else { return }
        for field in SimulationSetting.Field.allCases {
            let (old, theirs, ours) = (
                base[path: field.pointer], server[path: field.pointer], client[path: field.pointer]
            )
            guard theirs != ours, theirs == old || ours == old else { continue }
            guard ![.a, .b].contains(field) || !SimulatedMerge.isOneValue(base, server, client) else { continue }
            try SimulationViolation.unless(
                view[path: field.pointer] == (theirs == old ? ours : theirs), "§4",
                "a decision changes a field without a conflict", "\(field.pointer) in \(place.text) on \(device.name)")
        }
    }
}
