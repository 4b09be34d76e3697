/// What became of the journal entries that were to be brought back at once.
public struct Restoration: Hashable, Sendable {
    /// An entry that could not be brought back.
    public struct Left: Hashable, Sendable {
        /// The number of the entry.
        public let entry: Int64

        /// The record.
        public let pk: String

        /// Why, for a person.
        public let why: String
    }

    /// The collection.
    public let collection: String

    /// The numbers of the entries that are edits now, and go out with the next sync.
    public internal(set) var restored: [Int64] = []

    /// The entries that could not be brought back; they stay in the journal.
    public internal(set) var left: [Left] = []
}
