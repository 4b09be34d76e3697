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
    /// case .background: try await client.suspend()
    /// case .active: try await client.wake()
    /// ```
    ///
    /// It returns after the present call of the client, in a time that depends neither on the size of the store nor on the network:
    /// the file is closed as it is. Every call until ``wake()`` throws ``TidemarkError/Code/suspended``, also a sync that is under
    /// way and the wait for an outcome. Sequences and models do not end: they continue when the client is awake, and so does
    /// ``run(_:connectivity:)``. A request that was under way is sent again then, in the same bytes (R17).
    ///
    /// A client that is suspended or closed stays so.
    ///
    /// - Throws: The errors of the store; then the client is not suspended.
    public func suspend() throws(TidemarkError) {
        guard self.turn.phase != .closed else { return }
        try self.carryOut { $0.suspend() }
        self.outcomes.end(throwing: .suspended)
    }

    /// Opens the store of a suspended client again. Other clients may have changed it meanwhile: lists and statuses are read again,
    /// and a running ``run(_:connectivity:)`` syncs every collection.
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
        self.mailbox?.put(.woken)
        self.waking.raise()
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

    /// Calls a function that reads, and again each time the client was suspended meanwhile: for the sequences, which do not end then.
    func whileAwake<Value: Sendable>(
        isolation actor: isolated (any Actor)? = #isolation, _ body: () async throws(TidemarkError) -> Value
    ) async throws(TidemarkError) -> Value {
        while true {
            do throws(TidemarkError) {
                return try await body()
            } catch {
                guard error.code == .suspended else { throw error }
                try await self.untilAwake()
            }
        }
    }

    /// Who has the store.
    package var turnPhase: TurnPhase { self.turn.phase }

    /// Waits until the client is not suspended.
    func untilAwake() async throws(TidemarkError) {
        while self.turn.phase == .suspended {
            await self.waking.wait()
            if Task.isCancelled { throw .cancelled("The wait for the client") }
        }
    }
}

// MARK: - Handing over

extension SyncClient {
    /// The state of a client that does not have its store open.
    struct Absence {
        /// Opens the store; throws `storeBusy` while another client has it.
        var open: () throws(TidemarkError) -> any RecordStore

        /// What the next engine takes over.
        var former: SyncEngine.Former

        /// When the store was closed.
        var began: ContinuousClock.Instant
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
            do {
                try self.carryOut { $0.pass(now: self.elapsed, isExchanging: !self.requests.isEmpty) }
                if self.turn.isAsked { try await Task.sleep(for: Self.step) }
            } catch {
                return
            }
        }
    }

    /// Opens the store again when the other client has had it, if anything here follows it. It asks for it only from time to time, so
    /// that two clients with lists do not spend their time with handing the store over.
    private func comeBack() async {
        guard self.isFollowed else { return }
        try? await Task.sleep(for: TurnMachine.pause)
        var waited = Duration.zero
        while self.turn.phase == .away {
            do throws(TidemarkError) {
                try self.openOnce()
            } catch {
                guard error.code == .storeBusy, (try? await Task.sleep(for: Self.step)) != nil else { return }
                waited += Self.step
                guard waited >= TurnMachine.patience else { continue }
                waited = .zero
                self.turns?.ask()
            }
        }
    }

    /// Whether anything in this process has to know soon what another client changes: a list, a sync, the run loop.
    private var isFollowed: Bool {
        self.mailbox != nil || !self.led.isEmpty || self.hub.count > 0 || self.outcomes.count > 0
    }

    /// Hands the store over, if another client waits for it, before a request to the server begins.
    ///
    /// - Returns: Whether the engine still has this number: otherwise its requests are void.
    func mayBegin(ofEngine number: Int) async throws(TidemarkError) -> Bool {
        var waited = Duration.zero
        while self.turn.phase == .asked || self.turn.phase == .away && waited < Self.openingLimit {
            do {
                try await Task.sleep(for: Self.step)
            } catch {
                throw .cancelled("The sync", cause: error)
            }
            waited += Self.step
        }
        return try self.engine.number == number
    }

    /// Passes an input to the turn, and carries out its actions. If one fails, the input has not happened.
    private func carryOut(_ input: (inout TurnMachine) -> TurnActions) throws(TidemarkError) {
        var next = self.turn
        let actions = input(&next)
        for action in TurnAction.inOrder where actions.has(action) {
            switch action {
            case .release: try self.release()
            case .comeBack: Task { await self.comeBack() }
            case .refresh: self.refresh()
            }
        }
        self.turn = next
    }

    /// Closes the store, and ends the requests that are under way.
    private func release() throws(TidemarkError) {
        guard let engine = self.openEngine else { return }
        self.absence = Absence(open: try engine.store.suspend(), former: engine.former, began: .now)
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
        var waited = Duration.zero
        while true {
            do throws(TidemarkError) {
                return try self.openOnce()
            } catch {
                guard error.code == .storeBusy, waited < Self.openingLimit else { throw error }
                self.turns?.ask()
                ClientExecutor.block(for: Self.step)
                waited += Self.step
            }
        }
    }

    /// How long to wait before the store is tried again.
    private static let step = Duration.milliseconds(10)

    /// Opens the store again with a new engine, as after a restart of the app.
    @discardableResult
    private func openOnce() throws(TidemarkError) -> SyncEngine {
        guard let absence else { throw .closed }
        let store = try absence.open()
        let engine: SyncEngine
        do throws(TidemarkError) {
            engine = try Self.makeEngine(
                over: store, self.configuration, self.remote, self.hub, seed: self.seed, after: absence.former)
            guard engine.erasures == absence.former.erasures else { throw .erasedElsewhere }
            self.turns = (store as? any TurnTakingStore)?.turnTaking
            try self.turns?.listen { [weak self] in Task { await self?.handOver() } }
        } catch {
            store.close()
            if error.code == .clientClosed { self.close() }
            throw error
        }
        self.openEngine = engine
        self.absence = nil
        try self.carryOut { $0.open(now: self.elapsed) }
        return engine
    }

    /// Reads everything again that may have changed meanwhile.
    private func refresh() {
        guard let engine = self.openEngine else { return }
        self.hub.touchEverything()
        do throws(TidemarkError) {
            for (write, outcome) in try engine.reviewWaits() {
                self.outcomes.end(write, outcome.map(Result.success) ?? .failure(.outcomeUnknown))
            }
            guard let mailbox = self.mailbox else { return }
            for name in try engine.collections() {
                let collection = CodePointString(name)
                mailbox.put(.named(collection))
                if try engine.hasSomethingToSend(in: name) {
                    mailbox.put(.edited(collection, first: self.time.now, last: self.time.now))
                }
            }
        } catch {
            // The store fails: the next call has the same error.
        }
    }

    /// The time of the turn.
    private var elapsed: Duration { .now - self.beginning }
}

extension TidemarkError {
    static var closed: TidemarkError {
        TidemarkError(.clientClosed, "This client was closed. Make another one over the same store.")
    }

    fileprivate static var erasedElsewhere: TidemarkError {
        TidemarkError(
            .clientClosed,
            "Another client has erased the store, for example for another account, so this client was closed. Make another one."
        )
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
