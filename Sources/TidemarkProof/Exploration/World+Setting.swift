extension World {
    /// Which world to explore: how it begins, and what may happen in it.
    package struct Setting: Sendable {
        /// How a world begins.
        package enum Start: Hashable, Sendable {
            /// No one has the record.
            case nothing

            /// The server and the client have it.
            case inStep
        }

        /// What a world may contain besides the app, a tactic and another writer.
        package struct Features: OptionSet, Hashable, Sendable {
            /// One bit for each feature.
            package let rawValue: UInt16

            /// Makes a set from its bits.
            package init(rawValue: UInt16) {
                self.rawValue = rawValue
            }

            /// Messages get lost, the process is killed.
            package static let losses = Features(rawValue: 1 << 0)

            /// Requests arrive twice, or after their sender has given them up.
            package static let ghosts = Features(rawValue: 1 << 1)

            /// The server refuses edits, and records are held.
            package static let refusals = Features(rawValue: 1 << 2)

            /// The app gives changes up.
            package static let resigning = Features(rawValue: 1 << 3)

            /// Tombstones are purged, and the feed is read from the start.
            package static let purges = Features(rawValue: 1 << 4)

            /// The server remembers its answers (W4). Without it only R18 tells an own write from another's.
            package static let memory = Features(rawValue: 1 << 5)

            /// The other writer writes.
            package static let others = Features(rawValue: 1 << 6)

            /// The second field is a counter that both sides add to, and nothing else is changed.
            package static let counting = Features(rawValue: 1 << 7)

            /// The server is put back to a backup: what it acknowledged since is lost, and so is what it remembers (SPEC §6).
            package static let restores = Features(rawValue: 1 << 8)

            /// An answer that the server repeats shows the row as it is then, as it does for large records (W4).
            package static let presentRows = Features(rawValue: 1 << 9)
        }

        /// What to call it.
        package var name: String

        /// How it begins.
        package var start: Start

        /// What has happened before, so that a few inputs lead to where only many would.
        package var prelude: [Move]

        /// How many inputs come: of the app, of the other writer, and faults.
        package var inputs: Int

        /// What it contains.
        package var features: Features

        /// How often the server may call a change conflicted before the record is held.
        package var roundLimit = 2

        /// Makes a setting.
        package init(
            _ name: String, start: Start, prelude: [Move] = [], inputs: Int, features: Features, roundLimit: Int = 2
        ) {
            self.name = name
            self.start = start
            self.prelude = prelude
            self.inputs = inputs
            self.features = features
            self.roundLimit = roundLimit
        }
    }
}
