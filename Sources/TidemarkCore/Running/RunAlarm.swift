import TidemarkMachine

/// Puts a time into the mailbox of the run loop at that time. Only the time that was set last counts.
///
/// The task is not a child of the loop's task group, because a group can't cancel a single child.
struct RunAlarm: Sendable {
    private let source: any TimeSource
    private let mailbox: RunMailbox
    private var time: Duration?
    private var task: Task<Void, Never>?

    init(_ source: any TimeSource, _ mailbox: RunMailbox) {
        self.source = source
        self.mailbox = mailbox
    }

    /// Sets the timer; nil for never.
    mutating func set(to time: Duration?) {
        guard time != self.time || self.task == nil else { return }
        self.task?.cancel()
        self.time = time
        self.task = time.map { time in
            Task { [source, mailbox] in
                guard (try? await source.sleep(until: time)) != nil else { return }
                mailbox.put(.alarm(time))
            }
        }
    }

    /// Records that the timer fired, so that it can be set again, even for the same time.
    mutating func note(_ inputs: [RunInput]) {
        for case .alarm(let time) in inputs where time == self.time { self.task = nil }
    }

    /// Stops the timer.
    ///
    /// - Returns: The task that may still run for a moment.
    func end() -> Task<Void, Never>? {
        self.task?.cancel()
        return self.task
    }
}
