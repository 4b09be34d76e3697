import TidemarkJSON
public import TidemarkMachine
public import TidemarkRules

// The run loop: it carries out the work that `RunLoop` returns, and decides nothing.

extension SyncClient {
    /// Keeps every collection of ``collectionNames`` in sync until the task is cancelled: an app need not decide when to sync.
    /// A collection that the app uses for the first time is included at once.
    ///
    /// It sends edits half a second later, and fetches changes when the server notifies it, or by polling; ``RunPlan`` has all
    /// intervals. It waits for back-offs, and tries rejected credentials again from time to time, and at once after
    /// ``resume()`` or ``renew(remote:)``. A `sync()` of the app counts like one of the loop.
    ///
    /// ```swift
    /// let (paths, path) = AsyncStream.makeStream(of: Bool.self)
    /// path.yield(false)                    // no network
    /// try await client.run(RunPlan(), connectivity: paths)
    /// ```
    ///
    /// While the client is suspended (``suspend()``), nothing is synced; after ``wake()`` every collection is.
    ///
    /// It returns after all work has ended when the task is cancelled or the client is closed; the next sync sends the
    /// unconfirmed changes again, in the same bytes (R17). An unreachable server or a full disk does not end it: ``statuses``
    /// reports that.
    ///
    /// - Parameters:
    ///   - plan: When to sync.
    ///   - connectivity: Whether there is a network, now and at each change; true is assumed before its first value, and its
    ///     last value is kept after its end. Without a network no request is made. It has to end when its task is cancelled, as
    ///     `AsyncStream` does.
    /// - Throws: ``TidemarkError/Code/alreadyRunning`` while another call of it runs, ``TidemarkError/Code/clientClosed``,
    ///   ``TidemarkError/Code/noRemote``, and the errors of the store at the beginning.
    public func run(
        _ plan: RunPlan = RunPlan(), connectivity: some AsyncSequence<Bool, Never> & Sendable
    ) async throws(TidemarkError) {
        try self.requireRemote()
        let names = try self.collectionNames
        guard self.mailbox == nil else { throw .alreadyRunning }
        let mailbox = RunMailbox()
        self.mailbox = mailbox
        self.collections.tell(mailbox)
        self.raise(.runStarted)
        var loop = RunLoop(plan, seed: self.seed)
        var alarm = RunAlarm(self.time, mailbox)
        var listener = HintListener(mailbox)
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await isConnected in connectivity { mailbox.put(.connected(isConnected)) }
            }
            // A collection that was named just now may be in both lists and in the mailbox; it begins once.
            let all = names + self.collections.names.map(\.value)
            let work = loop.begin(all, syncing: self.led, now: self.time.now)
            self.carryOut(work, of: loop, &alarm, mailbox, &group)
            listener.follow(loop.hints, self.remote)
            for await _ in mailbox.raises {
                let inputs = mailbox.take()
                alarm.note(inputs)
                let work = loop.take(inputs, now: self.time.now) { self.cursor(of: $0) }
                self.carryOut(work, of: loop, &alarm, mailbox, &group)
                listener.follow(loop.hints, self.remote)
            }
            self.carryOut(loop.end(now: self.time.now), of: loop, &alarm, mailbox, &group)
            group.cancelAll()
        }
        await alarm.end()?.value
        await listener.end()?.value
        self.mailbox = nil
        self.collections.tell(nil)
        self.runStatus = nil
        for collection in loop.status.collections { self.hub.touch(CodePointString(collection.collection)) }
        self.raise(.runEnded)
    }

    /// Returns the store's cursor; nil if it can't be read, so that the collection is synced.
    private func cursor(of collection: String) -> String? {
        self.openEngine.flatMap { try? $0.cursor(of: collection) }
    }

    private func carryOut(
        _ work: RunLoop.Work, of loop: RunLoop, _ alarm: inout RunAlarm, _ mailbox: RunMailbox,
        _ group: inout DiscardingTaskGroup
    ) {
        for name in work.syncs {
            group.addTask {
                // The sync itself puts its result into the mailbox.
                _ = try? await self.sync(name.value)
                mailbox.put(.returned(name))
            }
        }
        alarm.set(to: loop.alarm)
        self.runStatus = loop.status
        for name in work.changed { self.hub.touch(name) }
    }
}

extension TidemarkError {
    fileprivate static var alreadyRunning: TidemarkError {
        TidemarkError(
            .alreadyRunning, "run() is already active for this client. Cancel that call first, or rely on it.")
    }
}
