import TidemarkJSON
package import TidemarkMachine
public import TidemarkRules

// Clients that use one store in turns (Contract §14). `TurnMachine` decides when; this carries out its actions.
//
// Example: an app shows a list, and the button of a widget changes a record of it.
//
// - The widget's process finds the store busy, and asks for it: a byte in the pipe beside the file.
// - The app's client ends the request that is under way, closes the file, and does not touch it for a moment.
// - The widget's process opens the file, edits, and closes it.
// - The app's client opens the file again, since a list follows it. Its engine is a new one, as after a restart of the app: nothing
//   that the former one knew of the file is true any more. All lists are read again, and the edit is sent.
//
// A call of the app in between does not fail: it waits for the file, and asks for it in the same way.

extension SyncClient {
    /// Closes the store until ``wake()``, and leaves no lock of any kind: for an app that goes to the background, whose process the
    /// system would end otherwise.
    ///
    /// ```swift
    /// try await client.suspend()              // the app is in the background
    /// try await client.wake()                 // it is in the foreground again
    /// ```
    ///
    /// It returns after the present call of the client, in a time that depends neither on the size of the store nor on the network:
    /// the file is closed as it is. Every call until ``wake()`` throws ``TidemarkError/Code/suspended``, also a sync that is under
    /// way and the wait for an outcome. Sequences and models do not end: they continue when the client is awake, and so does
    /// ``run(_:connectivity:)``. A request that was under way is sent again then, in the same bytes (R17).
    ///
    /// A client that is suspended or closed stays so.
    ///
    /// - Throws: ``TidemarkError/Code/storeUnavailable`` if the file has lost its place while it was open, and other errors of the
    ///   store; then the client is not suspended, and can still read.
    public func suspend() throws(TidemarkError) {
        guard self.turn.phase != .closed else { return }
        try self.carryOut { $0.suspend() }
        // No sync continues after this one.
        self.absence?.former.tallies = [:]
        self.absence?.former.watch = WriteWatch()
        self.outcomes.end(throwing: .suspended)
        self.waiters.end(throwing: .suspended)
        self.mailbox?.put(.suspended(true))
    }

    /// Opens the store of a suspended client again. Other clients may have changed it meanwhile: lists and statuses are read again, and
    /// the run loop syncs every collection.
    ///
    /// If another client has the store open, it is asked to hand it over, for up to ``openingLimit``. A client that is not suspended
    /// stays as it is.
    ///
    /// - Throws: ``TidemarkError/Code/storeBusy`` after that time, ``TidemarkError/Code/storeNewer``,
    ///   ``TidemarkError/Code/storeUnavailable`` if the file was replaced or removed, and other errors of the store; then it stays
    ///   suspended. ``TidemarkError/Code/clientClosed`` if it was closed, or if another client has erased the store: then it is
    ///   closed.
    public func wake() throws(TidemarkError) {
        switch self.turn.phase {
        case .suspended: try self.openAgain()
        case .holding, .asked, .away: return
        case .closed: throw .closed
        }
        self.mailbox?.put(.suspended(false))
    }

    /// The engine, of which the store is opened first if it was handed over.
    ///
    /// - Throws: ``TidemarkError/Code/suspended``, ``TidemarkError/Code/clientClosed`` and, after ``openingLimit``,
    ///   ``TidemarkError/Code/storeBusy``.
    var engine: SyncEngine {
        get throws(TidemarkError) {
            if let openEngine { return openEngine }
            switch self.turn.phase {
            case .suspended: throw .suspended
            case .away: return try self.openAgain()
            case .holding, .asked, .closed: throw .closed
            }
        }
    }

    /// Calls a function that reads as soon as the client has its store, and again if it lost it meanwhile: for the sequences, which do
    /// not end then, and which keep no call of the app waiting.
    func whileAwake<Value: Sendable>(
        isolation actor: isolated (any Actor)? = #isolation, _ body: () async throws(TidemarkError) -> Value
    ) async throws(TidemarkError) -> Value {
        while true {
            try await self.untilPresent()
            do throws(TidemarkError) {
                return try await body()
            } catch {
                guard error.code == .suspended || error.code == .storeBusy else { throw error }
            }
        }
    }

    /// Who has the store.
    package var turnPhase: TurnPhase { self.turn.phase }

    /// Waits until the client has its store open, or can't open it for another reason than another client.
    private func untilPresent() async throws(TidemarkError) {
        while self.turn.phase == .suspended || self.turn.phase == .away && self.absence?.hasFailed == false {
            self.waitingReaders += 1
            self.comeBackSoon()
            await self.waking.wait()
            self.waitingReaders -= 1
            if Task.isCancelled { throw .cancelled("The wait for the client") }
        }
    }
}

// MARK: - Handing over

extension SyncClient {
    /// The state of a client that does not have its store open.
    struct Absence {
        /// Opens the store; throws `storeBusy` while another client has it.
        let open: () throws(TidemarkError) -> any RecordStore

        /// The store that was suspended.
        let store: any RecordStore

        /// What the next engine takes over.
        var former: SyncEngine.Former

        /// When the store was closed.
        let began = ContinuousClock.now

        /// Until when calls wait for the store: those that come together have one wait, not one after another.
        var deadline: ContinuousClock.Instant?

        /// Whether the last try failed, and not since another client has the store.
        var hasFailed = false
    }

    /// Another client asks for the store.
    func handOver() {
        try? self.carryOut { $0.ask(now: self.elapsed) }
        guard self.turn.isAsked, self.handingOver == nil else { return }
        self.handingOver = Task {
            await self.passStore()
            self.handingOver = nil
        }
    }

    /// Waits until the store can be handed over, and hands it over.
    private func passStore() async {
        while self.turn.isAsked {
            let number = self.openEngine?.number
            let isExchanging = self.requests.keys.contains { $0.engine == number }
            do throws(TidemarkError) {
                try self.carryOut { $0.pass(now: self.elapsed, isExchanging: isExchanging) }
            } catch {
                // The file has lost its place: this client keeps it, for its reads and its errors.
                self.turn = TurnMachine(now: self.elapsed)
            }
            if self.turn.isAsked { try? await Task.sleep(for: Self.step) }
        }
    }

    /// Opens the store again when the other client has had it, as long as anything here follows it. It asks for it only from time to
    /// time, so that two clients with lists do not spend their time with handing the store over.
    func comeBackSoon() {
        guard self.turn.phase == .away, self.comingBack == nil else { return }
        self.comingBack = Task { [weak self] in
            try? await Task.sleep(for: TurnMachine.pause)
            var (pause, waited) = (Self.step, Duration.zero)
            while await self?.returns(asking: waited >= TurnMachine.patience) == false {
                try? await Task.sleep(for: pause)
                waited = waited >= TurnMachine.patience ? pause : waited + pause
                pause = min(pause * 2, TurnMachine.patience)
            }
            await self?.endComingBack()
        }
    }

    /// Tries to open the store again.
    ///
    /// - Returns: Whether no other try is to follow.
    private func returns(asking: Bool) -> Bool {
        guard self.turn.phase == .away, self.isFollowed else { return true }
        do throws(TidemarkError) {
            try self.openOnce()
        } catch {
            guard error.code == .storeBusy else { return true }
            if asking { self.absence?.ask() }
            return false
        }
        return true
    }

    private func endComingBack() {
        self.comingBack = nil
        // A reader may have begun to wait since the last try.
        if self.absence?.hasFailed == false, self.isFollowed { self.comeBackSoon() }
    }

    /// Whether anything in this process has to know soon what another client changes: a list, a sync, the run loop.
    private var isFollowed: Bool {
        self.mailbox != nil || !self.led.isEmpty || self.hub.count > 0 || self.outcomes.count > 0
            || self.waitingReaders > 0
    }

    /// Hands the store over, if another client waits for it, before a request to the server begins.
    ///
    /// - Returns: Whether the engine still has this number: otherwise its requests are void.
    func mayBegin(ofEngine number: Int) async throws(TidemarkError) -> Bool {
        // A sync that is cancelled meanwhile ends as one with a request: with the engine, if it is still the same.
        while self.turn.isAsked, !Task.isCancelled { try? await Task.sleep(for: Self.step) }
        if self.turn.phase == .away {
            let end = self.absence?.wait() ?? .now
            while self.turn.phase == .away, !Task.isCancelled, .now < end { try? await Task.sleep(for: Self.step) }
        }
        return try self.engine.number == number
    }

    /// Passes an input to the turn, and carries out its actions. If one fails, the input has not happened.
    private func carryOut(_ input: (inout TurnMachine) -> TurnActions) throws(TidemarkError) {
        var next = self.turn
        let actions = input(&next)
        if actions.has(.release) { try self.release() }
        self.turn = next
        if actions.has(.comeBack), self.isFollowed { self.comeBackSoon() }
        if actions.has(.refresh) { self.refresh() }
    }

    /// Closes the store, and ends the requests that are under way.
    private func release() throws(TidemarkError) {
        guard let engine = self.openEngine else { return }
        let former = engine.former
        self.absence = Absence(open: try engine.store.suspend(), store: engine.store, former: former)
        self.openEngine = nil
        for request in self.requests.values { request.cancel() }
    }

    /// Opens the store again, and waits for it if another client has it. This blocks the thread of the client's executor, on which no
    /// other call could do anything without the store.
    @discardableResult
    private func openAgain() throws(TidemarkError) -> SyncEngine {
        if self.turn.phase == .away, let began = self.absence?.began {
            ClientExecutor.block(for: TurnMachine.pause - (.now - began))
        }
        let end = self.absence?.wait() ?? .now
        while true {
            do throws(TidemarkError) {
                return try self.openOnce()
            } catch {
                guard error.code == .storeBusy else { throw error }
                self.absence?.ask()
                guard .now < end else { throw error }
                ClientExecutor.block(for: Self.step)
            }
        }
    }

    /// How long to wait before the store is tried again.
    private static let step = Duration.milliseconds(10)

    /// Opens the store again with a new engine, as after a restart of the app.
    @discardableResult
    private func openOnce() throws(TidemarkError) -> SyncEngine {
        guard var absence else { throw .closed }
        let engine: SyncEngine
        do throws(TidemarkError) {
            let store = try absence.open()
            absence.former.isUnchanged = (store as? any TurnTakingStore)?.isUnchanged == true
            do throws(TidemarkError) {
                engine = try Self.makeEngine(
                    over: store, self.configuration, self.remote, self.hub, seed: self.seed, after: absence.former)
                self.turns = (store as? any TurnTakingStore)?.turnTaking
                try self.turns?.listen { [weak self] in Task { await self?.handOver() } }
            } catch {
                // A store without system resources is the same one, and is tried again.
                if store !== absence.store { store.close() }
                throw error
            }
        } catch {
            self.absence?.hasFailed = error.code != .storeBusy
            if error.code == .clientClosed { self.close() }
            self.waking.raise()
            throw error
        }
        self.openEngine = engine
        self.absence = nil
        try self.carryOut { $0.open(now: self.elapsed) }
        self.waking.raise()
        return engine
    }

    /// Reads everything again that may have changed meanwhile.
    private func refresh() {
        guard let engine = self.openEngine else { return }
        self.hub.touchEverything()
        for (write, outcome) in engine.reviewWaits() {
            self.outcomes.end(write, outcome.map(Result.success) ?? .failure(.outcomeUnknown))
        }
        guard let mailbox = self.mailbox else { return }
        // If the store fails, the next call has the same error.
        for name in (try? engine.collections()) ?? [] {
            let collection = CodePointString(name)
            mailbox.put(.named(collection))
            guard (try? engine.hasSomethingToSend(in: name)) == true else { continue }
            mailbox.put(.edited(collection, first: self.time.now, last: self.time.now))
        }
    }

    /// The time of the turn.
    private var elapsed: Duration { .now - self.beginning }
}

extension TidemarkError {
    static var closed: TidemarkError {
        TidemarkError(.clientClosed, "This client was closed. Make another one over the same store.")
    }

    fileprivate static var suspended: TidemarkError {
        TidemarkError(
            .suspended, "The client is suspended, and its store is closed. Wake it first: try await client.wake().")
    }

    fileprivate static var outcomeUnknown: TidemarkError {
        TidemarkError(
            .suspended,
            "Another client had the store meanwhile, and has sent or discarded the change: its outcome is not known here."
        )
    }
}

extension SyncClient.Absence {
    /// Asks the client that has the store open for it.
    func ask() { (self.store as? any TurnTakingStore)?.turnTaking?.ask() }

    /// Begins a wait for the store, or joins the one that other calls have begun.
    ///
    /// - Returns: When it ends. A wait that was in vain is not repeated for as long as it took.
    mutating func wait() -> ContinuousClock.Instant {
        if let deadline, .now < deadline + SyncClient.openingLimit { return deadline }
        let end = ContinuousClock.now + SyncClient.openingLimit
        self.deadline = end
        return end
    }
}
