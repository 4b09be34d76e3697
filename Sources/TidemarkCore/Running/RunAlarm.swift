import TidemarkMachine

/// Puts a time into the mailbox of the run loop when it has come: one at a time, the one that was set last.
///
/// The task is its own, and not one of the loop's group, since a group can't end one of its children.
struct RunAlarm: Sendable {
    private let source: any TimeSource
    private let mailbox: RunMailbox
    private var time: Duration?
    private var task: Task<Void, Never>?

    init(_ source: any TimeSource, _ mailbox: RunMailbox) {
        self.source = source
        self.mailbox = mailbox
    }

    /// Sets it; nil for never.
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

    /// One that has come can be set again, should it be for the same time.
    mutating func note(_ inputs: [RunInput]) {
        for case .alarm(let time) in inputs where time == self.time { self.task = nil }
    }

    /// Turns it off.
    ///
    /// - Returns: What may go on still, for a moment.
    func end() -> Task<Void, Never>? {
        self.task?.cancel()
        return self.task
    }
}
