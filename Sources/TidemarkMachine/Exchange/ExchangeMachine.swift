/// The state machine of the exchange of one collection (SPEC §3): a phase, and what it has in mind.
///
/// It decides and never acts. Tell it what happened, and it hands back a ``Step``: what that amounted to, where it leads,
/// and what to do about it. ``ExchangePhase/transition(on:)`` is the only place that chooses a phase, and nobody else can
/// set one. It has no clock, no network and no store.
///
/// Names are those of records and of watermarks, and compare as they do on the wire: by code point.
@usableFromInline
package struct ExchangeMachine<Name: Hashable & Sendable, Failure: Hashable & Sendable>: Hashable, Sendable {
    /// An edit that is out.
    @usableFromInline package struct Posted: Hashable, Sendable {
        /// The name under which the server answers it (W4).
        @usableFromInline package let requestID: String

        /// The record.
        @usableFromInline package let name: Name

        /// Names an edit.
        package init(requestID: String, name: Name) {
            self.requestID = requestID
            self.name = name
        }
    }

    /// One transition, and what it leads to.
    package struct Step: Hashable, Sendable {
        /// What it amounted to.
        package let event: ExchangeEvent

        /// The phase before.
        package let source: ExchangePhase

        /// The phase after.
        package let target: ExchangePhase

        /// What to do, in the order of ``ExchangeAction/inOrder``.
        package let actions: ExchangeActions

        /// The edits that were out when it happened and that no result has settled, in the order in which they were posted.
        package let posted: [Posted]

        /// The record that a failure is counted against: of ``ExchangeAction/charge``.
        package let suspect: Name?
    }

    /// Where the exchange stands.
    package private(set) var phase = ExchangePhase.idle

    /// What outlives the process.
    package internal(set) var memory: ExchangeMemory<Name, Failure>

    /// The number of the request that is out, or was last.
    package internal(set) var number = 0

    /// The edits that are out and that no result has settled, in the order in which they were posted.
    @inlinable package var posted: [Posted] { self.unsettled }

    /// They. What takes a result in is inlinable, and looks up no type for each of them in a module that knows the names.
    @usableFromInline var unsettled: [Posted] = []

    /// What failed last; after a cancellation, that.
    package internal(set) var failure: Failure?

    /// How long a policy wants to wait; nil for what the server asked for, or the back-off.
    package internal(set) var wait: Duration?

    /// What the server refused, or what others were faster with, and what is to be sent again, with how often that was so
    /// far. It waits for the next sync.
    package internal(set) var postponed: [Name: Int] = [:]

    /// How often a change came back since other fields of its record had changed meanwhile, until the server takes it.
    var contended: [Name: Int] = [:]

    /// Whether the app renewed its credentials while the request was out: what the old ones brought says nothing of the
    /// new ones.
    var isRenewed = false

    /// The way of this sync through the feed.
    var walk = FeedWalk<Name>()

    /// How often this sync began a listing from the start since a history was lost.
    var listings = 0

    /// How often this sync was given the beginning of a listing, and not its end.
    var beginnings = 0

    /// Makes the machine of an exchange that has not begun in this process.
    package init(memory: ExchangeMemory<Name, Failure> = ExchangeMemory()) {
        self.memory = memory
    }

    /// Whether a request is out.
    package var isUnderWay: Bool {
        switch self.phase {
        case .getting, .posting: true
        case .idle, .waiting, .paused: false
        }
    }

    /// Whether an answer to a request is waited for; one to another request is late.
    package func isAwaiting(_ number: Int) -> Bool { self.isUnderWay && self.number == number }
}

// MARK: - The table

extension ExchangeMachine {
    /// Moves as the table says, and does what is the machine's own to do.
    mutating func take(_ event: ExchangeEvent) -> Step {
        let (source, posted) = (self.phase, self.posted)
        switch source.transition(on: event) {
        case .stay:
            return Step(event: event, source: source, target: source, actions: [], posted: posted, suspect: nil)
        case .impossible: preconditionFailure("\(event) can't occur while \(source)")
        case .move(let target, let actions):
            let suspect = self.memory.loners.suspect
            for action in ExchangeAction.inOrder where actions.has(action) { self.keepInMind(action) }
            self.phase = target
            if !self.isUnderWay || actions.has(.get) || actions.has(.post) { self.unsettled = [] }
            return Step(
                event: event, source: source, target: target, actions: actions, posted: posted, suspect: suspect)
        }
    }

    /// The part of an action that is memory.
    private mutating func keepInMind(_ action: ExchangeAction) {
        switch action {
        case .readFirst: self.memory.readsFirst = self.memory.readsFirst || self.isPosting
        case .suspect: self.memory.loners.suspect = self.lone
        case .charge: self.memory.loners.suspect = nil
        case .acquit:
            self.failure = nil
            self.memory.forgetFailures()
            self.memory.readsFirst = false
            self.memory.loners.noteWrite()
        case .bisect: self.memory.batchSize = max(1, self.posted.count / 2)
        case .startOver:
            // From the start, every watermark comes again.
            self.walk = FeedWalk()
        case .backOff: self.memory.attempts += 1
        case .refuse, .lose, .shorten, .pass, .endListing, .post, .get, .rest, .finish: break
        }
    }

    /// The one record that was posted alone; nil otherwise.
    var lone: Name? { self.posted.count == 1 ? self.posted.first?.name : nil }

    /// Whether edits are out that no result has settled. One that was answered has not failed, whatever follows.
    var isPosting: Bool { self.phase == .posting && !self.posted.isEmpty }
}
