import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting

/// A device of a simulation, and the acts of its user.
final class SimulatedDevice {
    let device: StoredDevice<FaultyStore>
    let index: Int
    let clock: ManualClock

    /// Whether it sends the token of another account.
    var isElsewhere = false

    /// Whether its account has ever answered, so that its store belongs to that account.
    var hasAccount = false

    /// The process that has its store.
    var process = SimulatedProcess(client: .owner, number: 0)

    /// The clients that had its store before, and get it again.
    var absent: [SimulationStep.Client: SimulatedAbsence] = [:]

    /// The parts of the store that a guest leaves as they were; nil while the owner has the store.
    var kept: KeptByGuests?

    /// The configuration of the owner of its store.
    var configuration: SyncConfiguration

    /// The run loop of its app; nil while none runs.
    var running: SimulatedRunLoop?

    /// Whether its app has restarted and will start the run loop.
    var isToRun = false

    /// Whether there is no network.
    var isOffline = false

    /// Whether the process ends with the next failure of the store.
    var isCrashing = false

    /// The conflicts that the user has read, by collection.
    var lookedAt: [String: RecordConflict] = [:]

    /// The base records of drafts that are not saved yet.
    var drafts: [SimulationStep.Place: JSON] = [:]

    /// The draft of the counter; nil if it has none.
    var counting: SimulatedCounting?

    /// The steps that its user can undo and redo.
    var history = SimulatedHistory()

    /// How many values were discarded since its process began, other than those that a merge gave up.
    var discards = 0

    /// The exchanges in progress with a server that does less.
    var exchanges: [ExchangeToken: LesserExchange] = [:]

    /// The token of the answer that each collection awaits.
    var awaited: [String: ExchangeToken] = [:]

    /// The words that its user removed: visible before an act of the user and not after it.
    var takenBack: Set<Int> = []

    /// The words in its journals.
    var journalled: Set<Int> = []

    /// The words written on this device that are neither acknowledged nor in the journal, with their collection.
    var pending: [Int: String] = [:]

    /// The numbers of the entries of its journals.
    var entries: [String: [Int64]] = [:]

    /// The pks that the last input removed.
    var erased: Set<String> = []

    /// The records that were deleted in the last page that showed them. A row beyond the cursor may be applied with a later
    /// page.
    var shownDeleted: Set<SimulationStep.Place> = []

    /// How often a change conflicted since the server accepted an edit of its record, or the user changed it.
    var rounds: [SimulationStep.Place: Int] = [:]

    /// The elements removed on this device from arrays that are unions, until the server accepts the removal.
    var dropped: [SimulationStep.Place: Set<Int>] = [:]

    /// The bytes of each edit that it sent, by its id (I5).
    var encodedEdit: [String: [UInt8]] = [:]

    /// The collections in which a POST failed, so that a GET is due before the next POST.
    var mustRead: Set<String> = []

    /// How many POSTs it has sent, by collection.
    var posts: [String: Int] = [:]

    /// The collections in which a POST failed since the last answered POST.
    var hasFailedToPost: Set<String> = []

    /// The collections in which a POST was answered since the last sync without a failure.
    var hasWritten: Set<String> = []

    /// The pks of records that were held as poison suspects since the last answered POST, by collection.
    var blamed: [String: Set<String>] = [:]

    /// The collections in which the last request was answered.
    var wasAnswered: Set<String> = []

    /// How often in a row the server refused a record's change, and the changes that it refused in the present sync.
    var refusals: [SimulationStep.Place: Int] = [:]
    var refusedNow: [String: Set<SimulationStep.Place>] = [:]

    /// The changes that were sent in the present sync as records of a ring.
    var ringNow: [String: Set<SimulationStep.Place>] = [:]

    /// The requests in progress when the credentials were renewed.
    var former: Set<ExchangeToken> = []

    /// The collections in which no answer has shown the account of renewed credentials.
    var uncertainCollections: Set<String> = []

    /// The first POST of each edit, and the place of the edit in it.
    var firstSent: [String: (post: Int, place: Int)] = [:]

    /// The note that an edit which it sent names, and whether the edit is a delete, by request id.
    struct SentReference {
        var target: SimulationStep.Place?
        var isDelete: Bool
    }

    var uploads: [String: SentReference] = [:]

    /// The uploads for which this device knew of a record that had to go first, and that record, by request id.
    var foreseen: [String: String] = [:]

    /// The unanswered uploads, by collection.
    var batches: [String: SimulatedBatches] = [:]

    /// The input since which each record has had a change to send.
    var queue: [SimulationStep.Place: Int] = [:]
    var inputs = 0

    /// The writes whose outcome is awaited, with their word.
    var waits: [Int: Wait] = [:]

    /// A write whose outcome is awaited.
    struct Wait {
        var place: SimulationStep.Place
        var word: Int?
    }

    var outcomesSeen = 0

    /// How many of the traces were checked.
    var tracesSeen = 0

    /// How many traces existed before the present answer.
    var mergesSeen = 0

    /// The entries that the last input added to its journals.
    var written: [(collection: String, entry: StoredJournalEntry)] = []

    /// How many pages with a malformed item arrived since an item was quarantined, by collection.
    var oddPages: [String: Int] = [:]

    /// How many of the reports were checked.
    var reportsSeen = 0

    init(_ device: StoredDevice<FaultyStore>, index: Int, clock: ManualClock, _ configuration: SyncConfiguration) {
        self.device = device
        self.configuration = configuration
        self.index = index
        self.clock = clock
    }

    var name: String { self.device.name }
    var store: FaultyStore { self.device.store }
    var engine: SyncEngine { self.device.engine }

    /// A second device with the content of this one and with the acts of its user.
    func copied(index: Int, seed: UInt64) throws -> SimulatedDevice {
        let clock = ManualClock(self.clock.now)
        let name = SimulationStep.deviceNames[index]
        let copy = SimulatedDevice(
            try self.device.copied(as: name, seed: seed, clock: clock), index: index, clock: clock, self.configuration)
        (copy.hasAccount, copy.takenBack, copy.journalled) = (self.hasAccount, self.takenBack, self.journalled)
        (copy.pending, copy.entries) = (self.pending, self.entries)
        (copy.rounds, copy.dropped, copy.mustRead) = (self.rounds, self.dropped, self.mustRead)
        (copy.encodedEdit, copy.uncertainCollections, copy.refusals) = (
            self.encodedEdit, self.uncertainCollections, self.refusals
        )
        copy.oddPages = self.oddPages
        (copy.batches, copy.queue, copy.inputs) = (self.batches, self.queue, self.inputs)
        (copy.firstSent, copy.posts) = (self.firstSent, self.posts)
        (copy.uploads, copy.foreseen) = (self.uploads, self.foreseen)
        (copy.hasFailedToPost, copy.hasWritten, copy.blamed) = (self.hasFailedToPost, self.hasWritten, self.blamed)
        return copy
    }

    /// An exchange with a server that does less, which begins with the first use.
    func exchange(_ outgoing: StoredDevice<FaultyStore>.Outgoing, _ form: LesserForm) -> LesserExchange {
        let exchange = self.exchanges[outgoing.token] ?? LesserExchange(outgoing.request, form)
        self.exchanges[outgoing.token] = exchange
        return exchange
    }

    var sender: ServerLedger.Sender {
        ServerLedger.Sender(name: self.name) { self.takenBack.contains($0) || self.journalled.contains($0) }
    }
}
