import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting

/// A device of a simulation, and what its user is known to have done.
final class SimulatedDevice {
    let device: StoredDevice<FaultyStore>
    let index: Int
    let clock: ManualClock

    /// Whether it shows the token of another account.
    var isElsewhere = false

    /// Whether it ever heard from its own account, so that its store belongs to that.
    var hasAccount = false

    /// The loop that its app has begun to run; nil while none runs.
    var running: SimulatedRun?

    /// Whether its app has just started again, and is about to run.
    var isToRun = false

    /// Whether there is no network.
    var isOffline = false

    /// By how much its clock was set back in all.
    var setBack = Duration.zero

    /// Whether the process ends with the failure of the store that is to come.
    var isCrashing = false

    /// What someone has looked at, by collection.
    var lookedAt: [String: RecordConflict] = [:]

    /// The records that drafts were made from, which are not saved yet.
    var drafts: [SimulationStep.Place: JSON] = [:]

    /// Whose answer each collection awaits.
    var awaited: [String: ExchangeToken] = [:]

    /// The words that its user took back: what was to be seen before an act of theirs and not after it.
    var takenBack: Set<Int> = []

    /// The words in its journals.
    var journalled: Set<Int> = []

    /// The words that were typed here and are neither acknowledged nor journalled, with their collection.
    var pending: [Int: String] = [:]

    /// The numbers of the entries of its journals.
    var entries: [String: [Int64]] = [:]

    /// The pks that the last input has removed.
    var erased: Set<String> = []

    /// The records that were deleted in the last page that showed them. What a page shows beyond the cursor may be applied
    /// with a later page.
    var shownDeleted: Set<SimulationStep.Place> = []

    /// How often a change came back with a clash since the server took something of its record, or someone changed it.
    var rounds: [SimulationStep.Place: Int] = [:]

    /// What was removed here from arrays that are unions, until the server knows.
    var dropped: [SimulationStep.Place: Set<Int>] = [:]

    /// The bytes of each edit that it sent, by its id (I5).
    var frozen: [String: [UInt8]] = [:]

    /// Where a POST failed, and the feed is to be read before another.
    var mustRead: Set<String> = []

    /// How many POSTs it has sent, by collection.
    var posts: [String: Int] = [:]

    /// Where a POST failed since one was answered last.
    var hasFailedToPost: Set<String> = []

    /// Where a POST was answered since a sync came to its end without a failure.
    var hasWritten: Set<String> = []

    /// The pks of records that were held since they failed alone, while no POST was answered, by collection.
    var blamed: [String: Set<String>] = [:]

    /// Where the last request was answered.
    var wasAnswered: Set<String> = []

    /// How often in a row the server refused a record's change, and which changes it refused in the sync that goes on.
    var refusals: [SimulationStep.Place: Int] = [:]
    var refusedNow: [String: Set<SimulationStep.Place>] = [:]

    /// The requests that were out when credentials were renewed.
    var former: Set<ExchangeToken> = []

    /// Where credentials were renewed, and no answer has shown yet whose they are.
    var inDoubt: Set<String> = []

    /// In which of its POSTs each edit went out first, and at which place there.
    var firstSent: [String: (post: Int, place: Int)] = [:]

    /// What was sent without an answer, by collection.
    var batches: [String: SimulatedBatches] = [:]

    /// Since which input each record has had something to send.
    var queue: [SimulationStep.Place: Int] = [:]
    var inputs = 0

    /// The writes whose outcome is waited for, with the word that was typed.
    var waits: [Int: (place: SimulationStep.Place, word: Int?)] = [:]
    var outcomesSeen = 0

    /// How many of the traces were looked at.
    var tracesSeen = 0

    /// How many of them there were before the answer that is being heard.
    var mergesSeen = 0

    /// The entries that the last input has added to its journals.
    var written: [(collection: String, entry: StoredJournalEntry)] = []

    /// How many pages with an item that makes no sense came since one was set aside, by collection.
    var oddPages: [String: Int] = [:]

    /// How many of the reports were looked at.
    var reportsSeen = 0

    init(_ device: StoredDevice<FaultyStore>, index: Int, clock: ManualClock) {
        self.device = device
        self.index = index
        self.clock = clock
    }

    var name: String { self.device.name }
    var store: FaultyStore { self.device.store }
    var engine: SyncEngine { self.device.engine }

    /// A second device that begins with what this one has, and with what its user has done.
    func copied(index: Int, seed: UInt64) throws -> SimulatedDevice {
        let clock = ManualClock(self.clock.now)
        let name = SimulationStep.deviceNames[index]
        let copy = SimulatedDevice(
            try self.device.copied(as: name, seed: seed, clock: clock), index: index, clock: clock)
        (copy.hasAccount, copy.takenBack, copy.journalled) = (self.hasAccount, self.takenBack, self.journalled)
        (copy.pending, copy.entries) = (self.pending, self.entries)
        (copy.rounds, copy.dropped, copy.mustRead) = (self.rounds, self.dropped, self.mustRead)
        (copy.frozen, copy.inDoubt, copy.refusals) = (self.frozen, self.inDoubt, self.refusals)
        copy.oddPages = self.oddPages
        (copy.batches, copy.queue, copy.inputs) = (self.batches, self.queue, self.inputs)
        (copy.firstSent, copy.posts) = (self.firstSent, self.posts)
        (copy.hasFailedToPost, copy.hasWritten, copy.blamed) = (self.hasFailedToPost, self.hasWritten, self.blamed)
        return copy
    }

    /// What the ledger has to know of it.
    var sender: ServerLedger.Sender {
        ServerLedger.Sender(name: self.name) { self.takenBack.contains($0) || self.journalled.contains($0) }
    }
}
