extension Exploration {
    private typealias Setting = ExchangeWorld.Setting
    private typealias Move = ExchangeWorld.Move

    /// The worlds of the exchange: batches, answers, feeds.
    ///
    /// - Parameter isLarge: With more inputs, and with more that can go wrong.
    static func exchanges(isLarge: Bool) -> [ExchangeWorld.Setting] {
        Self.batches(isLarge) + Self.answers(isLarge) + Self.feeds(isLarge)
    }

    /// Several records of one device in one request.
    private static func batches(_ isLarge: Bool) -> [ExchangeWorld.Setting] {
        [
            Setting("a batch, refused as a whole") {
                $0.acts = isLarge ? [.type, .poison, .dislike, .release] : [.type, .poison, .dislike]
                $0.fates =
                    isLarge ? [.answerLost, .late, .tooLarge, .forbidden] : [.answerLost, .tooLarge, .forbidden]
                $0.edits = isLarge ? 3 : 2
                $0.faults = isLarge ? 2 : 1
            },
            Setting("a batch of three, one of which is too large") {
                $0.inStep = ["a", "b", "c"]
                $0.pks = ["a", "b", "c"]
                $0.prelude = [.act(.type, "a"), .act(.poison, "b"), .act(.type, "c")]
                $0.poisoned = ["b"]
                $0.acts = isLarge ? [.type, .resign] : [.resign]
                $0.fates = isLarge ? [.answerLost, .late] : [.answerLost]
                $0.edits = isLarge ? 2 : 1
                $0.faults = isLarge ? 2 : 1
            },
            // Two answers lost and two edits together lead to a record that is tried on and on: once another one was held,
            // what fails alone may be the server's doing as well, until it takes something. To hold it all the same would
            // hold one change after the other of whoever types while the server takes nothing (SPEC §3.6).
            Self.breaking("a batch, one of which breaks the server", edits: isLarge ? 3 : 1, faults: 1),
            Self.breaking(
                "a batch, one of which breaks the server, again", edits: isLarge ? 1 : 0, faults: isLarge ? 3 : 2),
            Setting("a batch, counters") {
                $0.acts = [.add]
                $0.others = [.add]
                $0.fates = isLarge ? [.late, .answerLost, .inPart, .notKnown, .tooLarge, .killed] : [.late]
                $0.edits = 2
                $0.writes = 1
                $0.faults = isLarge ? 2 : 1
            },
            Setting("a batch, held") {
                $0.prelude = [.act(.dislike, "a"), .act(.add, "b"), .sync, .answer]
                // What is given up after an addition is not to be counted.
                $0.acts = isLarge ? [.type, .release, .resign, .delete] : [.type, .add, .release, .resign, .delete]
                $0.others = [.type, .delete]
                $0.fates = [.answerLost]
                $0.edits = isLarge ? 2 : 1
                $0.writes = 1
                $0.faults = isLarge ? 2 : 1
            },
            Setting("a batch, refused and sent again") {
                $0.acts = [.type, .dislike]
                $0.others = [.add]
                $0.retries = true
                $0.pageSize = 1
                $0.edits = isLarge ? 2 : 1
                $0.writes = isLarge ? 4 : 2
                $0.faults = 0
            },
        ]
    }

    private static func breaking(_ name: String, edits: Int, faults: Int) -> ExchangeWorld.Setting {
        Setting(name) {
            $0.prelude = [.act(.type, "b"), .act(.poison, "a")]
            $0.acts = [.type, .release]
            $0.fates = [.answerLost, .garbage]
            $0.poison = .breaks
            $0.edits = edits
            $0.faults = faults
        }
    }

    /// What becomes of answers.
    private static func answers(_ isLarge: Bool) -> [ExchangeWorld.Setting] {
        [
            Setting("answers lost") {
                $0.acts = isLarge ? [.type, .delete, .create] : [.type, .delete]
                $0.others = [.type]
                $0.fates = [.late, .answerLost, .inPart, .unanswered, .notKnown, .killed, .storeFails]
                $0.edits = 2
                $0.writes = isLarge ? 1 : 0
                $0.faults = isLarge ? 2 : 1
            },
            Setting("a new device") {
                $0.isNew = true
                $0.inStep = []
                $0.acts = isLarge ? [.create, .type] : [.create]
                $0.others = [.create]
                $0.fates = isLarge ? [.late, .answerLost, .killed, .lost] : [.late]
                $0.edits = 2
                $0.writes = 1
                $0.faults = isLarge ? 2 : 1
            },
            Setting("whatever befalls a request") {
                $0.inStep = ["a"]
                $0.pks = ["a"]
                $0.fates = Move.Fate.allCases
                $0.turns = [.purge]
                $0.renews = true
                $0.asksAgain = true
                $0.others = [.type]
                $0.pageSize = 2
                $0.edits = 2
                $0.writes = isLarge ? 1 : 0
                $0.faults = 2
            },
            Setting("a policy that pauses") {
                $0.fates = [.lost, .answerLost]
                $0.pauses = true
                $0.edits = isLarge ? 2 : 1
            },
        ]
    }

    /// Pages, and listings from the start.
    private static func feeds(_ isLarge: Bool) -> [ExchangeWorld.Setting] {
        [
            Setting("a feed, pages of one") {
                $0.pageSize = 1
                $0.acts = [.type, .delete]
                $0.others = [.type, .delete, .create]
                $0.fates = isLarge ? [.lost] : []
                $0.turns = [.purge]
                $0.edits = 1
                $0.writes = isLarge ? 2 : 1
                $0.faults = isLarge ? 2 : 1
            },
            Setting("a feed, listed from the start") {
                $0.inStep = isLarge ? ["a", "b", "c"] : ["a", "b"]
                $0.pks = isLarge ? ["a", "b", "c"] : ["a", "b"]
                $0.pageSize = 1
                $0.prelude = [.server(.purge), .sync, .answer, .answer]
                $0.acts = isLarge ? [.type, .delete] : [.type]
                $0.others = [.type, .delete]
                $0.fates = isLarge ? [.lost, .killed, .storeFails] : [.killed]
                $0.turns = [.purge]
                $0.edits = 1
                $0.writes = isLarge ? 2 : 1
                $0.faults = 1
            },
            Setting("a feed, rows seen late") {
                $0.pageSize = isLarge ? 1 : 2
                $0.lateness = isLarge ? 3 : 2
                $0.acts = isLarge ? [.type, .delete] : [.type]
                $0.others = isLarge ? [.type, .delete] : [.type]
                $0.fates = isLarge ? [.answerLost, .late] : []
                $0.turns = isLarge ? [.purge] : []
                $0.edits = 1
                $0.writes = 2
                $0.faults = isLarge ? 1 : 0
            },
            Setting("a feed, rows seen late, counters") {
                $0.inStep = ["a"]
                $0.pks = ["a"]
                $0.lateness = isLarge ? 3 : 2
                $0.acts = [.add]
                $0.others = [.add]
                $0.fates = isLarge ? [.late, .answerLost, .killed] : [.answerLost]
                $0.edits = 2
                $0.writes = isLarge ? 3 : 2
                $0.faults = 1
            },
            Setting("a feed, a server that goes back") {
                $0.pageSize = 1
                $0.prelude = [.act(.type, "a"), .sync, .answer]
                $0.acts = [.type]
                $0.others = [.type]
                $0.turns = [.goBack, .beginAnew]
                $0.edits = isLarge ? 2 : 1
                $0.writes = isLarge ? 2 : 1
                $0.faults = isLarge ? 2 : 1
            },
            // A result that can't be taken in leaves the others ahead of the watermark.
            Setting("a feed, a server that goes back after a change was given up") {
                $0.prelude = [.act(.type, "a"), .act(.type, "b"), .sync]
                $0.acts = isLarge ? [.resign, .type] : [.resign]
                $0.fates = isLarge ? [.killed] : []
                $0.turns = [.goBack, .purge]
                $0.edits = 1
                $0.writes = isLarge ? 2 : 1
                $0.pageSize = isLarge ? 1 : 2
                $0.others = [.type]
                $0.faults = isLarge ? 2 : 1
            },
            Setting("a feed, a server that goes back while a change is out") {
                $0.prelude = [.act(.type, "a"), .sync]
                $0.acts = [.type]
                $0.fates = isLarge ? [.answerLost, .late, .killed] : [.answerLost]
                $0.turns = [.goBack]
                $0.edits = 1
                $0.writes = isLarge ? 1 : 0
                $0.others = [.type]
                $0.faults = 2
            },
        ]
    }
}
