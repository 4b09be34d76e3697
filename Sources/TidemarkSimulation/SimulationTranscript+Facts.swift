import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
package import TidemarkTesting

// The facts of a device, each as a line without texts for the user.

extension SimulationTranscript {
    /// Adds all that a device does from now on.
    package func follow<Store>(_ device: StoredDevice<Store>) {
        device.observer = { [unowned device] event in
            switch event {
            case .transition(let step): self.add(step, of: device.name)
            case .effect(let effect): self.add(effect, of: device.name)
            }
            if case .effect(.finish(let report)) = event { self.addWaiting(in: report.collection, of: device) }
        }
    }

    /// Adds the end of a run: its violations, and the stores of its devices.
    package func end<Store>(_ devices: [StoredDevice<Store>], after violation: SimulationViolation?) {
        if let violation { self.add(.effects, "broken", violation.rule, violation.kind) }
        for device in devices {
            do throws(TidemarkError) {
                try self.addStore(of: device)
            } catch {
                self.add(.stores, device.name, error.code.name)
            }
        }
    }

    private func addStore<Store>(of device: StoredDevice<Store>) throws(TidemarkError) {
        let (name, store) = (device.name, device.store)
        for collection in try store.collections() {
            self.add(.stores, [bytes(name), bytes(collection)] + (try store.state(of: collection)).facts)
            for record in try store.records(
                in: collection, states: Set(SyncState.allCases), after: nil, limit: 1_000_000)
            {
                self.add(.stores, [bytes(name), bytes(collection)] + record.facts)
                for removal in try store.removals(of: record.pk, in: collection) {
                    self.add(.stores, name, collection, removal.pk, removal.path, removal.version)
                }
            }
            for item in try store.quarantinedItems(in: collection) { self.add(.stores, name, collection, item.pk) }
            for entry in try store.journal(of: nil, in: collection) {
                self.add(.journals, [bytes(name), bytes(collection)] + entry.facts)
            }
        }
    }

    private func add(_ step: SyncTrace.Step, of device: String) {
        switch step {
        case .opened(let collection): self.add(.traces, device, collection, "opened")
        case .forgotten(let collection): self.add(.traces, device, collection, "forgotten")
        case .record(let trace):
            self.add(
                .traces, device, trace.collection, trace.pk, trace.event.rawValue, trace.source.description,
                trace.target.description,
                RecordAction.inOrder.lazy.filter(trace.actions.has).map(\.name).joined(separator: " "))
        case .exchange(let trace):
            self.add(
                .traces, device, trace.collection, trace.event.rawValue, trace.source.rawValue, trace.target.rawValue,
                ExchangeAction.inOrder.lazy.filter(trace.actions.has).map(\.name).joined(separator: " "),
                trace.failure?.rawValue, trace.time.map { "\($0)" })
        }
    }

    private func add(_ effect: SyncEffect, of device: String) {
        switch effect {
        case .send(let request, let token):
            let head = [
                device, request.collection, "\(token.number)", request.cursor, request.seen, "\(request.limit)",
                "\(request.countsRows)", request.known.account, request.known.epoch,
            ]
            let edits = request.uploads.flatMap { upload in
                [
                    bytes(upload.requestID), bytes(upload.pk), bytes(upload.name), bytes("\(upload.wasResent)"),
                    upload.base, upload.encodedEdit,
                ]
            }
            self.add(.requests, head.map(bytes) + edits)
        case .wake(let collection, let time): self.add(.effects, device, "wake", collection, "\(time)")
        case .tell(let change):
            self.add(
                .effects, device, "tell", change.collection, change.pk, change.origin.rawValue,
                change.phase.description, change.problem == nil ? nil : "problem")
        case .tellAll(let collection): self.add(.effects, device, "all", collection)
        case .settle(let write, let outcome):
            self.add(.effects, [bytes(device), bytes("settle"), bytes("\(write)")] + outcome.facts)
        // The transitions have the same.
        case .leftToUser, .released: break
        case .progress(let progress):
            self.add(
                .effects, device, "progress", progress.collection, "\(progress.received)",
                progress.left.map { "\($0)" }, "\(progress.sent)", "\(progress.isOver)")
        case .finish(let report): self.add(.effects, [bytes(device), bytes("finish")] + report.facts)
        }
    }

    /// Adds the records that wait for the user, and the conflicts as the user sees them.
    private func addWaiting<Store>(in collection: String, of device: StoredDevice<Store>) {
        do {
            let waiting = try device.store.waiting(in: collection)
            for pk in waiting.deciding + waiting.held.map(\.pk) {
                guard let record = try device.store.record(pk, in: collection) else { continue }
                self.add(.stores, [bytes(device.name), bytes(collection), bytes("waits")] + record.facts)
            }
            for conflict in try device.engine.conflicts(in: collection) {
                self.add(.effects, [bytes(device.name), bytes(collection), bytes("asks")] + conflict.facts)
            }
        } catch {
            self.add(.stores, device.name, collection, error.code.name)
        }
    }
}

private func bytes(_ text: String) -> [UInt8]? { Array(text.utf8) }
private func bytes(_ text: String?) -> [UInt8]? { text.map { Array($0.utf8) } }

extension CollectionState {
    fileprivate var facts: [[UInt8]?] {
        let texts = [
            self.cursor, self.seen, self.epoch, self.resync.map { "\($0.reason.rawValue) \($0.isRunning)" },
            self.claim?.rawValue, "\(self.resyncGeneration)", "\(self.malformedTries)",
            self.resyncBegan.map { "\($0)" }, self.lastInSync.map { "\($0)" },
        ]
        return texts.map(bytes) + [withoutProse(self.exchangeMemory.map { Array($0.utf8) })]
    }
}

extension StoredRecord {
    fileprivate var facts: [[UInt8]?] {
        let numbers =
            [self.rounds, self.failures].map { "\($0)" } + [self.sequence, self.resyncGeneration].map { "\($0)" }
        return [
            bytes(self.pk), bytes(self.phase.description), bytes(self.confirmed.version), self.confirmed.data,
            bytes(self.upload?.requestID), self.upload?.edit, bytes(self.upload.map { "\($0.wasResent)" }),
            bytes(self.upload?.recognition.rawValue), self.editedData,
            bytes(self.seen == nil ? "none" : "seen"), bytes(self.seen?.version), self.seen?.data,
            bytes(numbers.joined(separator: " ")), withoutProse(self.hold), self.lastMerge, bytes(self.name),
            self.watched, self.base,
        ]
    }
}

extension StoredJournalEntry {
    fileprivate var facts: [[UInt8]?] {
        [
            bytes("\(self.number)"), bytes(self.pk), bytes(self.reason.name), bytes(self.lost.rawValue),
            bytes(self.path), self.value, bytes(self.version), self.shown, bytes("\(self.isRestored)"),
        ]
    }
}

extension CollectionReport {
    fileprivate var facts: [[UInt8]?] {
        let lists = [self.pushed, self.merged, self.conflicts, self.held].map { $0.joined(separator: " ") }
        let numbers = [self.pulled, self.watched, self.requests].map { "\($0)" }
        let texts = [
            self.collection, self.outcome.rawValue, self.lostByServer.map { "\($0)" }, self.cursor,
            self.nextTry.map { "\($0)" },
        ]
        return (texts + lists + numbers).map(bytes) + (self.failure?.facts ?? [nil])
    }
}

extension RemoteFailure {
    fileprivate var facts: [[UInt8]?] {
        [
            bytes(self.failureClass.rawValue), bytes(self.retryAfter.map { "\($0)" }),
            bytes("\(self.serverRolledBack)"), bytes(self.account), bytes("\(self.blame)"),
            withoutProse(self.problem?.document.bytes),
        ]
    }
}

extension WriteOutcome {
    fileprivate var facts: [[UInt8]?] {
        switch self {
        case .accepted: [bytes("accepted")]
        case .merged(let paths): [bytes("merged"), bytes(paths.map(\.text).joined(separator: " "))]
        case .superseded: [bytes("superseded")]
        case .rejected(let hold): [bytes("rejected"), withoutProse(hold.json.bytes)]
        case .held(let hold): [bytes("held"), withoutProse(hold.json.bytes)]
        case .waiting(let collection, let pk): [bytes("waiting"), bytes(collection), bytes(pk)]
        case .asking: [bytes("asking")]
        }
    }
}

extension RecordConflict {
    fileprivate var facts: [[UInt8]?] {
        [
            bytes(self.pk), bytes(self.kind.rawValue), self.base?.bytes, self.server?.bytes, bytes(self.version),
            self.client?.bytes, bytes(self.serverPatch.text), bytes(self.clientPatch.text), self.merged?.bytes,
            bytes("\(self.round)"),
        ]
            + self.clashes.flatMap { clash in
                [
                    bytes(clash.path.text), clash.base?.bytes, clash.server?.bytes, clash.client?.bytes,
                    bytes("\(clash.winner)"),
                ]
            }
    }
}

/// Returns a document of the engine or of the server without its texts for the user.
private func withoutProse(_ bytes: [UInt8]?) -> [UInt8]? {
    guard let bytes else { return nil }
    guard let json = try? JSON(parsing: bytes) else { return bytes }
    return withoutProse(json).bytes
}

private func withoutProse(_ json: JSON) -> JSON {
    guard let members = json.object else { return json }
    return members.reduce(into: [:]) { kept, member in
        guard !["title", "detail", "message"].contains(member.key) else { return }
        kept[member.key] = withoutProse(member.value)
    }
}
