import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

/// The references of a simulation: the member `/ref` of a note or a task names a note (Contract §11).
enum SimulationReferences {
    /// Whether the user names a record in another one: a note, and in a note only an earlier one, so that no names make a ring.
    static func mayName(_ target: SimulationStep.Place, in place: SimulationStep.Place) -> Bool {
        target.collection == SimulationSetting.collections[0]
            && SimulationSetting.collections.contains(place.collection)
            && (place.collection != target.collection || target.pk < place.pk)
    }

    /// The note that a record names, if it is another one.
    static func target(of place: SimulationStep.Place, in content: JSON?) -> SimulationStep.Place? {
        guard SimulationSetting.collections.contains(place.collection),
            let pk = content?[path: SimulationSetting.reference]?.string
        else { return nil }
        let target = SimulationStep.Place(collection: SimulationSetting.collections[0], pk: pk)
        return target == place ? nil : target
    }

    static func target(of place: SimulationStep.Place, in data: [UInt8]?) -> SimulationStep.Place? {
        self.target(of: place, in: data.flatMap { try? JSON(parsing: $0) })
    }
}

/// What a device knows about names, read from its records. It shares no code with the engine.
private struct KnownReferences {
    private struct Row {
        var record: StoredRecord
        /// The note that the view names, and those that the server's rows and the upload name.
        var shown: SimulationStep.Place?
        var confirmed: SimulationStep.Place?
        var others: Set<SimulationStep.Place>
        var isMissing: Bool

        var isDeleted: Bool { self.record.phase.state == .deleted }
    }

    private var rows: [SimulationStep.Place: Row] = [:]

    init(_ run: SimulationRun, _ device: SimulatedDevice) throws {
        for collection in SimulationSetting.collections {
            let states: Set<SyncState> = [.edited, .created, .deleted]
            for record in try device.store.records(in: collection, states: states, after: nil, limit: 1_000) {
                let place = SimulationStep.Place(collection: collection, pk: record.pk)
                func target(_ version: StoredVersion?) -> SimulationStep.Place? {
                    SimulationReferences.target(of: place, in: version?.data)
                }
                let upload = record.upload.flatMap { device.uploads[$0.requestID] }
                let view = try run.view(place, device)
                self.rows[place] = Row(
                    record: record, shown: SimulationReferences.target(of: place, in: view),
                    confirmed: target(record.confirmed),
                    others: Set([target(record.confirmed), target(record.seen), upload?.target].compactMap(\.self)),
                    isMissing: (record.seen ?? record.confirmed).data == nil || record.phase.state == .deleted
                        || upload?.isDelete == true)
            }
        }
    }

    /// The record that has to go first since this one newly names it (R26).
    private func parent(of place: SimulationStep.Place) -> SimulationStep.Place? {
        guard let row = self.rows[place], let target = row.shown, target != row.confirmed,
            self.rows[target]?.isMissing == true
        else { return nil }
        return target
    }

    /// The records that a change has to wait for (R26, R27).
    func waits(of place: SimulationStep.Place) -> [SimulationStep.Place] {
        if let parent = self.parent(of: place) { return [parent] }
        guard self.rows[place]?.isDeleted == true else { return [] }
        return self.rows.filter { other, row in
            other != place && row.record.phase.activity != .held && row.others.contains(place) && row.shown != place
                && !self.isStuck(other)
        }.keys.sorted { $0.text < $1.text }
    }

    /// Whether a record waits, over others, for a held one.
    private func isStuck(_ place: SimulationStep.Place) -> Bool {
        var (next, seen) = (place, Set([place]))
        while let parent = self.parent(of: next), seen.insert(parent).inserted {
            if self.rows[parent]?.record.phase.activity == .held { return true }
            next = parent
        }
        return false
    }

    /// The first record that a change has to wait for; nil in a ring, of which one has to go first.
    func firstWait(of place: SimulationStep.Place) -> SimulationStep.Place? {
        self.awaited(by: place).contains(place) ? nil : self.waits(of: place).first
    }

    /// Whether a change has to be sent now: it waits for no record, or only for idle ones that, over others, wait for it.
    func isReady(_ place: SimulationStep.Place) -> Bool {
        self.awaited(by: place).allSatisfy { other in
            self.rows[other]?.record.phase.activity == .idle && self.awaited(by: other).contains(place)
        }
    }

    /// The records for which a record waits, over others.
    private func awaited(by place: SimulationStep.Place) -> Set<SimulationStep.Place> {
        var (open, seen) = (self.waits(of: place), Set<SimulationStep.Place>())
        while let next = open.popLast() {
            if seen.insert(next).inserted { open += self.waits(of: next) }
        }
        return seen
    }

    /// The idle records of a collection.
    func idle(in collection: String) -> [SimulationStep.Place] {
        self.rows.filter { $0.key.collection == collection && $0.value.record.phase.activity == .idle }.map(\.key)
    }
}

extension SimulationRun {
    /// Whether the refusal of a change was to be expected, since it waits for another record now. The record of a ring is sent although
    /// it waits; not one whose ring has come about since it was sent.
    func isForeseen(_ place: SimulationStep.Place, on device: SimulatedDevice) throws -> Bool {
        guard self.setting.references > 0, device.ringNow[place.collection]?.contains(place) != true else {
            return false
        }
        return try !KnownReferences(self, device).waits(of: place).isEmpty
    }

    /// Notes for which edits of a request the device knows of a record that has to go first. A repeated edit is sent whatever it names
    /// (R17), and so is the one that finds out whether the server takes any edit (Contract §3.6).
    func foresee(_ request: ExchangeRequest, of device: SimulatedDevice) throws {
        for upload in request.uploads {
            let place = SimulationStep.Place(collection: request.collection, pk: upload.pk)
            device.uploads[upload.requestID] = .init(
                target: SimulationReferences.target(of: place, in: try upload.record()),
                isDelete: upload.intent == .delete)
        }
        let unsettled = try device.store.unsettledRecords(in: request.collection)
        guard request.uploads.count > 1 || !unsettled.contains(where: { $0.phase.activity == .unconfirmed }) else {
            return
        }
        let known = try KnownReferences(self, device)
        for upload in request.uploads {
            let place = SimulationStep.Place(collection: request.collection, pk: upload.pk)
            let wait = known.firstWait(of: place)
            device.foreseen[upload.requestID] = wait?.text
            if wait == nil, !known.waits(of: place).isEmpty {
                device.ringNow[place.collection, default: []].insert(place)
            }
        }
    }

    /// R26, R27: a sync that ends without a failure leaves no change unsent that waits for nothing. A change that was refused in it is
    /// sent with the next one.
    func checkNoneIsLeft(_ report: CollectionReport, _ device: SimulatedDevice) throws {
        guard self.setting.references > 0, report.failure == nil, report.nextTry == nil,
            try !device.store.state(of: report.collection).isResyncing
        else { return }
        let known = try KnownReferences(self, device)
        let refused = device.refusedNow[report.collection, default: []]
        for place in known.idle(in: report.collection).sorted(by: { $0.text < $1.text })
        where !refused.contains(place) && known.isReady(place) {
            let isDelete = try device.store.record(place.pk, in: place.collection)?.phase.state == .deleted
            throw SimulationViolation(
                isDelete ? "R27" : "R26", "a change is not sent that waits for nothing",
                "\(place.text) on \(device.name)")
        }
    }

    /// R26, R27: a key refuses no edit that could have been sent later.
    func checkForeseen(_ results: [UploadResult], _ request: ExchangeRequest, _ device: SimulatedDevice) throws {
        for result in results where result.isRefused && self.server.keyRefusals.contains(result.requestID) {
            guard let first = device.foreseen[result.requestID],
                let upload = request.uploads.first(where: { $0.requestID == result.requestID })
            else { continue }
            throw SimulationViolation(
                upload.intent == .delete ? "R27" : "R26", "a refusal by a key could be foreseen",
                "\(request.collection) \(upload.pk) before \(first) on \(device.name)")
        }
    }
}
