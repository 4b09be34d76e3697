extension ExchangeWorld {
    /// Which world to explore: how it begins, and what may happen in it.
    public struct Setting: Sendable {
        /// Faults of the server to plant, to see that they are found.
        public enum ServerFault: String, CaseIterable, Sendable {
            /// Edits are taken whatever they were made on (W1).
            case ignoresVersions

            /// An edit that comes again is looked at anew (W4).
            case forgetsAnswers

            /// A row becomes visible when the watermark has passed it (W3).
            case showsLate

            /// Rows become visible late, and the remote does not read again what it may have missed (SPEC §12).
            case readsNothingAgain
        }

        /// What something before the server does with a request that carries what it can't bear.
        public enum Poison: String, Sendable {
            /// 413, each time.
            case tooLarge = "413"

            /// 422 for the whole, each time.
            case unprocessable = "422"

            /// 500, each time.
            case breaks = "500"
        }

        /// What to call it.
        public var name: String

        /// Which records the server and the device have at the beginning.
        public var inStep: [String] = ["a", "b"]

        /// Which records there may be.
        public var pks: [String] = ["a", "b"]

        /// Whether the device was never in touch with the server.
        public var isNew = false

        /// Whether a person is asked about conflicts.
        public var asks = false

        /// Whether the app's policy sends again what was refused.
        public var retries = false

        /// Whether the app's policy does not want a silence waited out.
        public var pauses = false

        /// Whether credentials may be renewed at any time.
        public var renews = false

        /// Whether a sync may be asked for while one goes on, or waits.
        public var asksAgain = false

        /// What has happened before.
        public var prelude: [Move] = []

        /// What the app may do with a record.
        public var acts: [Move.Act] = [.type]

        /// What another device may do with a record.
        public var others: [Move.OthersAct] = []

        /// What may become of a request, besides being answered.
        public var fates: [Move.Fate] = []

        /// What may become of the server.
        public var turns: [Move.ServerTurn] = []

        /// How often the app does something.
        public var edits = 2

        /// How often another device writes.
        public var writes = 0

        /// How often something goes wrong.
        public var faults = 1

        /// How many edits one POST carries.
        public var batchSize = 3

        /// How many rows a page brings.
        public var pageSize = 3

        /// Which records get what breaks a whole request: where every record has it, the server is to blame, and none is
        /// ever held (SPEC §3.6).
        public var poisoned: Set<String> = ["a"]

        /// What becomes of a request with poison in it.
        public var poison = Poison.tooLarge

        /// How many versions may be drawn, at the most, before one that another device drew becomes visible; 1 where versions
        /// have the order of commits (W3, SPEC §12).
        public var lateness = 1

        /// A fault to plant.
        public var serverFault: ServerFault?

        /// Makes a setting, which is then filled in.
        public init(_ name: String, _ fill: (inout Setting) -> Void = { _ in }) {
            self.name = name
            fill(&self)
        }
    }
}
