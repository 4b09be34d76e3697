import TidemarkCore
import TidemarkRules
import TidemarkSimulation
import TidemarkTesting

/// A device of a server that does less, and the model of its user's words.
final class LesserDevice {
    let device: Device
    let clock: ManualClock

    /// The exchanges of the device that are in progress, at most one for each collection.
    var flights: [LesserFlight] = []

    /// The words that its user removed.
    var takenBack: Set<Int> = []

    /// The words in its journals.
    var journalled: Set<Int> = []

    /// The words written here that are neither acknowledged nor in the journal, with their collection.
    var pending: [Int: String] = [:]

    /// The last number of each journal that was read.
    var lastEntry: [String: Int64] = [:]

    /// The writes and the bytes of each edit that it sent, by request id (I5).
    var writes: [String: LesserServer.Write] = [:]
    var encodedEdits: [String: [UInt8]] = [:]

    /// A conflict that the user has read, by collection.
    var lookedAt: [String: RecordConflict] = [:]

    init(_ device: Device, _ clock: ManualClock) {
        self.device = device
        self.clock = clock
    }

    var name: String { self.device.name }

    /// Whether a word may disappear: its user removed it, or the journal has it.
    func mayLose(_ word: Int) -> Bool { self.takenBack.contains(word) || self.journalled.contains(word) }
}
