import TidemarkJSON

/// Listens to hints for the run loop, one connection at a time, and puts what it hears into its mailbox.
///
/// The task is its own, and not one of the loop's group, since a group can't end one of its children.
struct HintListener: Sendable {
    private let mailbox: RunMailbox
    private var number = 0
    private var task: Task<Void, Never>?

    init(_ mailbox: RunMailbox) {
        self.mailbox = mailbox
    }

    /// Listens as the loop says, and to nothing else any more.
    mutating func follow(_ watch: HintWatch, _ remote: any Remote) {
        guard watch.number != self.number else { return }
        self.number = watch.number
        self.task?.cancel()
        self.task = nil
        guard case .listening = watch.phase else { return }
        let names = watch.names.map(\.value)
        let known = Set(watch.names)
        let hear = { @Sendable [mailbox, number] (hint: RemoteHint) in
            mailbox.put(.heard(number, HeardHints(hint, among: known)))
        }
        self.task = Task { [mailbox, number] in
            let result: Result<HintsEnd, RemoteFailure>
            do throws(RemoteFailure) {
                result = .success(try await remote.hints(for: names, hear: hear))
            } catch {
                result = .failure(error)
            }
            mailbox.put(.listened(number, result))
        }
    }

    /// Listens no more.
    ///
    /// - Returns: What may go on still, for a moment.
    func end() -> Task<Void, Never>? {
        self.task?.cancel()
        return self.task
    }
}
