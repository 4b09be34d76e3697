extension World {
    /// The world to explore: its first state, and its possible events.
    package struct Setting: Sendable {
        /// The first state of a world.
        package enum Start: Hashable, Sendable {
            /// Neither the server nor the client has the record.
            case nothing

            /// The server and the client have it.
            case inSync
        }

        /// The optional parts of a world, besides the app, a tactic and another writer.
        package struct Features: OptionSet, Hashable, Sendable {
            /// One bit for each feature.
            package let rawValue: UInt16

            /// Makes a set from its bits.
            package init(rawValue: UInt16) {
                self.rawValue = rawValue
            }

            /// Messages are lost, and the process is killed.
            package static let losses = Features(rawValue: 1 << 0)

            /// Requests arrive twice, or after their sender stopped waiting.
            package static let ghosts = Features(rawValue: 1 << 1)

            /// The server refuses edits, and records are held.
            package static let refusals = Features(rawValue: 1 << 2)

            /// The app discards changes.
            package static let resigning = Features(rawValue: 1 << 3)

            /// Tombstones are purged, and full resyncs follow.
            package static let purges = Features(rawValue: 1 << 4)

            /// The server remembers its answers (W4). Otherwise only R18 tells an own write from another one.
            package static let memory = Features(rawValue: 1 << 5)

            /// The other writer writes.
            package static let others = Features(rawValue: 1 << 6)

            /// The second field is a counter that both sides add to, and no other field changes.
            package static let counting = Features(rawValue: 1 << 7)

            /// The server is restored from a backup: it loses all later writes and all remembered answers (Contract §6).
            package static let restores = Features(rawValue: 1 << 8)

            /// A repeated answer has the present row, as the reference server does for large records (W4).
            package static let presentRows = Features(rawValue: 1 << 9)
        }

        package var name: String

        /// The first state.
        package var start: Start

        /// The steps before the first input, so that a few inputs reach states that are many steps away.
        package var prelude: [Move]

        /// The number of inputs: of the app, of the other writer, and faults.
        package var inputs: Int

        /// The optional parts.
        package var features: Features

        /// How often a change may conflict before the record is held.
        static let roundLimit = 2

        package init(_ name: String, start: Start, prelude: [Move] = [], inputs: Int, features: Features) {
            self.name = name
            self.start = start
            self.prelude = prelude
            self.inputs = inputs
            self.features = features
        }
    }
}
