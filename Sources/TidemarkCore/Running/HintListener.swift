import TidemarkJSON

/// Listens to change notifications for the run loop, one connection at a time, and puts the events into its mailbox.
///
/// The task is not a child of the loop's task group, because a group can't cancel a single child.
struct HintListener: Sendable {
    private let mailbox: RunMailbox
    private var number = 0
    private var task: Task<Void, Never>?

    init(_ mailbox: RunMailbox) {
        self.mailbox = mailbox
    }

    /// Follows the phase of the loop's watch: starts a new connection or ends the present one.
    mutating func follow(_ watch: HintWatch, _ remote: any Remote) {
        guard watch.number != self.number else { return }
        self.number = watch.number
        self.task?.cancel()
        self.task = nil
        guard case .listening = watch.phase else { return }
        let names = watch.names.map(\.value)
        let known = Set(watch.names)
        let onHint = { @Sendable [mailbox, number] (hint: RemoteHint) in
            mailbox.put(.heard(number, HeardHints(hint, among: known)))
        }
        self.task = Task { [mailbox, number] in
            let result: Result<RemoteHint.End, RemoteFailure>
            do throws(RemoteFailure) {
                result = .success(try await remote.hints(for: names, onHint: onHint))
            } catch {
                result = .failure(error)
            }
            mailbox.put(.listened(number, result))
        }
    }

    /// Ends listening.
    ///
    /// - Returns: The task that may still run for a moment.
    func end() -> Task<Void, Never>? {
        self.task?.cancel()
        return self.task
    }
}
