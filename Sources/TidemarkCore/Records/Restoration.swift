/// What became of the journal entries that were to be brought back at once.
public struct Restoration: Hashable, Sendable {
    /// An entry that was not brought back.
    public struct Left: Hashable, Sendable {
        /// Why an entry stays in the journal.
        public enum Reason: String, CaseIterable, Hashable, Sendable {
            /// What is in its place now was written after the server went back, and is newer.
            case changedSince = "changed-since"

            /// It can't be brought back: what it belongs to is gone, or was deleted here since.
            case impossible
        }

        /// The number of the entry.
        public let entry: Int64

        /// The record.
        public let pk: String

        /// Why.
        public let reason: Reason

        /// Why, for a person.
        public let why: String
    }

    /// The collection.
    public let collection: String

    /// The numbers of the entries that are edits now, and go out with the next sync.
    public internal(set) var restored: [Int64] = []

    /// The entries that were not brought back. They stay in the journal, and each can be brought back by itself
    /// (``SyncCollection/restore(_:)``).
    public internal(set) var left: [Left] = []
}
