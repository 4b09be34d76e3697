extension JournalEntry {
    /// The result of restoring many journal entries at once.
    public struct Restoration: Hashable, Sendable {
        /// An entry that was not restored.
        public struct Left: Hashable, Sendable {
            /// Why an entry stays in the journal.
            public enum Reason: String, CaseIterable, Hashable, Sendable {
                /// The present value was written after the server was rolled back, and is newer.
                case changedSince

                /// The value can't be restored: the object that contained it no longer exists, or the record was deleted here
                /// after the value was lost.
                case impossible
            }

            /// The number of the entry.
            public let entry: Int64

            /// The pk of the record.
            public let pk: String

            /// The reason.
            public let reason: Reason

            /// The reason, as a text for the user.
            public let why: String
        }

        /// The name of the collection.
        public let collection: String

        /// The numbers of the restored entries; the next sync sends them as edits.
        public internal(set) var restored: [Int64] = []

        /// The entries that were not restored. They stay in the journal, and each can be restored separately
        /// (``SyncCollection/restore(_:)``).
        public internal(set) var left: [Left] = []
    }
}
