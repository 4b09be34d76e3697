import TidemarkJSON
public import TidemarkMachine
public import TidemarkRules

// The run loop: it carries out what `RunLoop` says, and decides nothing.

extension SyncClient {
    /// Keeps every collection of ``collectionNames`` in step until the task is cancelled: an app need not decide when to sync. A
    /// collection that the app uses for the first time is taken up at once.
    ///
    /// What is edited is sent half a second later, and what others changed is asked for now and then; ``RunPlan`` names all
    /// spans. What an exchange has to wait out is waited out, bad credentials are tried again from time to time, and at once
    /// after ``resume()`` or ``renew(remote:)``. A `sync()` of the app's is as good as one of the loop's.
    ///
    /// ```swift
    /// let (paths, path) = AsyncStream.makeStream(of: Bool.self)
    /// path.yield(false)                    // the cable is out
    /// try await client.run(RunPlan(), connectivity: paths)
    /// ```
    ///
    /// It returns when the task is cancelled or the client is closed, and nothing goes on after that; what was on its way is
    /// sent again by the next sync, in the same bytes (R17). A server that can't be reached, or a disk that is full, does not
    /// end it: ``statuses`` says so.
    ///
    /// - Parameters:
    ///   - plan: When to sync.
    ///   - connectivity: Whether there is a network, now and whenever that changes; true is assumed before it says anything,
    ///     and its last word stands after its end. Without a network nothing is tried. It has to end when its task is cancelled,
    ///     as `AsyncStream` does.
    /// - Throws: ``TidemarkError/Code/alreadyRunning`` while another call of it goes on, ``TidemarkError/Code/clientClosed``,
    ///   and what the store throws at the beginning.
    public func run(
        _ plan: RunPlan = RunPlan(), connectivity: some AsyncSequence<Bool, Never> & Sendable
    ) async throws(TidemarkError) {
        let names = try self.collectionNames
        guard self.mailbox == nil else { throw .alreadyRunning }
        let mailbox = RunMailbox()
        self.mailbox = mailbox
        self.collections.tell(mailbox)
        var loop = RunLoop(plan, seed: self.seed)
        var alarm = RunAlarm(self.time, mailbox)
        var listener = HintListener(mailbox)
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await isConnected in connectivity { mailbox.put(.connected(isConnected)) }
            }
            // What was named just now, and may be told as well, begins once.
            let all = names + self.collections.names.map(\.value)
            let work = loop.begin(all, syncing: self.carried, now: self.time.now)
            self.carryOut(work, of: loop, &alarm, mailbox, &group)
            listener.follow(loop.hints, self.remote)
            for await _ in mailbox.raises {
                let inputs = mailbox.take()
                alarm.note(inputs)
                let work = loop.take(inputs, now: self.time.now) { self.watermark(of: $0) }
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
    }

    /// What can't be read is asked for.
    private func watermark(of collection: String) -> String? {
        self.openEngine.flatMap { try? $0.watermark(of: collection) }
    }

    private func carryOut(
        _ work: RunLoop.Work, of loop: RunLoop, _ alarm: inout RunAlarm, _ mailbox: RunMailbox,
        _ group: inout DiscardingTaskGroup
    ) {
        for name in work.syncs {
            group.addTask {
                // How it ended the mailbox is told where the sync is carried.
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
            .alreadyRunning, "This client runs already. End the other call of run() first, or leave it all to it.")
    }
}
