import TidemarkHTTPClient
import TidemarkHTTP
import TidemarkJSON
import TidemarkMachine
import TidemarkServer
import TidemarkTesting

/// A kind of message that the phone loses, and the steps that lead to it.
struct LostMessageKind: Sendable {
    /// The change by the phone's app to the record before the sync.
    enum Change: String, Sendable, CaseIterable {
        case create = "a create"
        case edit = "an edit"
        case delete = "a delete"
    }

    var name: String

    /// The target exchange in the phone's sync.
    var aim: MessageLoser.Aim

    /// The server's answer to the message.
    var message: MessageLoser.Message

    /// The records that other devices change after the message.
    var targets = ["3"]

    /// The records whose edits the server has finally accepted or refused with this message.
    var judged: Set<String> = []

    /// A record that another device deletes before its changes, to make room for the refused edit.
    var room: String?

    /// Whether the phone has never synced the collection before.
    var isFirstSync = false

    /// The server's limits, for records of a size.
    var limits: @Sendable (_ size: Int) -> ServerLimits = { _ in ServerLimits() }

    /// Prepares the phone so that its next sync has the message.
    var prepare: @Sendable (LostMessageWorld) async throws -> Void
}

extension LostMessageKind {
    // MARK: - GET

    /// The pages of a sync with nothing to send, and the first page of a first sync with a create to send: the phone sends
    /// the create before it requests the other pages.
    static let pages: [Self] =
        (0..<3).map { number in
            Self(
                name: "GET, \(Self.pageNames[number]) page", aim: MessageLoser.Aim(method: .get, number: number),
                message: .page(hasMore: number < 2), targets: [["1", "3", "5"][number]]
            ) { world in
                for pk in ["1", "2", "3", "4", "5"] { try await world.editTitle(pk, on: world.tablet, by: "e") }
                try await world.delete("6", on: world.tablet)
                try await world.sync(world.tablet)
            }
        } + [
            Self(
                name: "GET, first page of a first sync with a create to send", aim: MessageLoser.Aim(method: .get),
                message: .page(hasMore: true), targets: ["1"], isFirstSync: true
            ) { world in try await world.create("1", on: world.phone, by: "p") }
        ]

    private static let pageNames = ["first", "middle", "last"]

    // MARK: - POST

    static let posts: [Self] =
        Change.allCases.map(Self.accepted) + Change.allCases.map(Self.conflicted)
        + [Self.refusedCreate, Self.refusedEdit, Self.refusedDelete] + Change.allCases.map(Self.unknown) + [Self.mixed]

    private static func post(_ verdicts: MessageLoser.Verdict...) -> (MessageLoser.Aim, MessageLoser.Message) {
        (MessageLoser.Aim(method: .post), .results(verdicts))
    }

    private static func target(of change: Change) -> String { change == .create ? "7" : "3" }

    /// The phone's app changes the record.
    private static func make(_ change: Change, _ world: LostMessageWorld) async throws {
        switch change {
        case .create: try await world.create("7", on: world.phone, by: "p")
        case .edit: try await world.editTitle("3", on: world.phone, by: "p")
        case .delete: try await world.delete("3", on: world.phone)
        }
    }

    /// Three other records change, so that the answer has the first of two pages.
    private static func moveOthers(_ world: LostMessageWorld) async throws {
        for pk in ["2", "4", "6"] { try await world.editTitle(pk, on: world.tablet, by: "e") }
        try await world.sync(world.tablet)
    }

    private static func accepted(_ change: Change) -> Self {
        let (aim, message) = Self.post(.accepted)
        return Self(
            name: "POST of \(change.rawValue), accepted", aim: aim, message: message,
            targets: [Self.target(of: change)],
            judged: [Self.target(of: change)]
        ) { world in
            try await Self.moveOthers(world)
            try await Self.make(change, world)
        }
    }

    private static func conflicted(_ change: Change) -> Self {
        let (aim, message) = Self.post(.conflicted)
        return Self(
            name: "POST of \(change.rawValue), conflicted", aim: aim, message: message,
            targets: [Self.target(of: change)]
        ) { world in
            try await Self.moveOthers(world)
            switch change {
            case .create: try await world.create("7", on: world.tablet, by: "e")
            case .edit, .delete: try await world.editTitle("3", on: world.tablet, by: "e")
            }
            try await world.sync(world.tablet)
            try await Self.make(change, world)
        }
    }

    /// The server has no room for one more record, until one is deleted.
    private static let refusedCreate: Self = {
        let (aim, message) = Self.post(.refused)
        return Self(
            name: "POST of a create, refused", aim: aim, message: message, targets: ["7"], judged: ["7"], room: "1",
            limits: { _ in
                var limits = ServerLimits()
                limits.rowsOfAccount = 6
                return limits
            },
            prepare: { world in
                try await Self.moveOthers(world)
                try await Self.make(.create, world)
            })
    }()

    /// The server has no room for a longer record, until one is deleted.
    private static let refusedEdit: Self = {
        let (aim, message) = Self.post(.refused)
        return Self(
            name: "POST of an edit, refused", aim: aim, message: message, targets: ["3"], judged: ["3"], room: "1",
            limits: { size in
                var limits = ServerLimits()
                limits.bytesOfAccount = (1...6).reduce(8) { sum, number in
                    sum + LostMessageWorld.record("s", String(number), size: number == 3 ? size : 100).bytes.count
                }
                return limits
            },
            prepare: { world in
                try await Self.moveOthers(world)
                let note = JSON.string(JSONString("P3" + String(repeating: "n", count: 40)))
                try await world.edit("3", on: world.phone, setting: ["title": "P3", "note": note], counting: true)
            })
    }()

    private static let refusedDelete: Self = {
        let (aim, message) = Self.post(.refused)
        return Self(name: "POST of a delete, refused", aim: aim, message: message, judged: ["3"]) { world in
            try await Self.moveOthers(world)
            let remote = try HTTPRemote(url: world.url, token: LostMessageWorld.token)
            world.phone.loser.use(RefusedDeletes(inner: remote))
            try await Self.make(.delete, world)
        }
    }()

    /// The answer has room for one result, so that the second edit is not carried out.
    private static func unknown(_ change: Change) -> Self {
        let (aim, message) = Self.post(.accepted, .unknown)
        return Self(
            name: "POST of \(change.rawValue), unknown", aim: aim, message: message, targets: [Self.target(of: change)],
            judged: ["1"],
            limits: { _ in
                var limits = ServerLimits()
                limits.results = 1
                return limits
            },
            prepare: { world in
                try await Self.moveOthers(world)
                try await world.editTitle("1", on: world.phone, by: "p")
                try await Self.make(change, world)
            })
    }

    /// One edit of each kind, and the answer has no room for the last.
    private static let mixed: Self = {
        let (aim, message) = Self.post(.accepted, .conflicted, .refused, .accepted, .unknown)
        return Self(
            name: "POST, mixed", aim: aim, message: message, targets: ["1", "3", "7", "4", "5"],
            judged: ["1", "7", "4"], room: "2",
            limits: { size in
                var limits = ServerLimits()
                limits.rowsOfAccount = 6
                limits.results = size + 3_000
                return limits
            },
            prepare: { world in
                let pad = JSON.string(JSONString("E5" + String(repeating: "y", count: world.size + 4_000)))
                try await world.edit("5", on: world.tablet, setting: ["pad": pad])
                try await world.sync(world.tablet)
                try await world.sync(world.phone)
                try await world.editTitle("3", on: world.tablet, by: "e")
                for pk in ["2", "6"] { try await world.editTitle(pk, on: world.tablet, by: "e") }
                try await world.sync(world.tablet)
                for pk in ["1", "3"] { try await world.editTitle(pk, on: world.phone, by: "p") }
                try await world.create("7", on: world.phone, by: "p")
                try await world.delete("4", on: world.phone)
                try await world.editTitle("5", on: world.phone, by: "p")
            })
    }()

    // MARK: - 410

    static let gone: [Self] =
        Change.allCases.map { change in
            Self(
                name: "410 to a POST of \(change.rawValue)", aim: MessageLoser.Aim(method: .post),
                message: .failed(.historyLost), targets: [Self.target(of: change)]
            ) { world in
                try await Self.forgetDeletions(world)
                try await Self.make(change, world)
            }
        } + [
            Self(name: "410 to a GET", aim: MessageLoser.Aim(method: .get), message: .failed(.historyLost)) { world in
                try await Self.forgetDeletions(world)
            }
        ]
        + (0..<3).map { number in
            Self(
                name: "GET, \(Self.pageNames[number]) page after a 410 to a POST",
                aim: MessageLoser.Aim(method: .get, number: number),
                message: .page(hasMore: number < 2)
            ) { world in
                try await world.create("8", on: world.tablet, by: "e")
                try await Self.forgetDeletions(world)
                try await Self.make(.edit, world)
            }
        }
        + Change.allCases.map { change in
            Self(
                name: "410 of a restored server to a POST of \(change.rawValue)", aim: MessageLoser.Aim(method: .post),
                message: .failed(.historyLost), targets: [Self.target(of: change)]
            ) { world in
                try await Self.goBack(world)
                try await Self.make(change, world)
            }
        } + [
            Self(
                name: "410 of a restored server to a GET", aim: MessageLoser.Aim(method: .get),
                message: .failed(.historyLost)
            ) { world in try await Self.goBack(world) }
        ]

    /// A record is deleted, and the server forgets the deletion before the phone syncs.
    private static func forgetDeletions(_ world: LostMessageWorld) async throws {
        try await world.delete("6", on: world.tablet)
        for pk in ["2", "4"] { try await world.editTitle(pk, on: world.tablet, by: "e") }
        try await world.sync(world.tablet)
        try world.purge()
    }

    /// The server loses an edit, a create and a delete of the phone.
    private static func goBack(_ world: LostMessageWorld) async throws {
        let backup = try world.server.backup()
        try await world.editTitle("2", on: world.phone, by: "q")
        try await world.create("8", on: world.phone, by: "q")
        try await world.delete("4", on: world.phone)
        try await world.sync(world.phone)
        try world.restore(backup)
    }

    // MARK: - 401

    static let renewed: [Self] =
        Change.allCases.flatMap { change in
            let target = Self.target(of: change)
            return [
                Self(
                    name: "401 to a POST of \(change.rawValue)", aim: MessageLoser.Aim(method: .post),
                    message: .failed(.auth), targets: [target]
                ) { world in
                    try Self.spendToken(world)
                    try await Self.make(change, world)
                },
                Self(
                    name: "POST of \(change.rawValue) after a 401, accepted",
                    aim: MessageLoser.Aim(method: .post, number: 1), message: .results([.accepted]),
                    targets: [target], judged: [target]
                ) { world in
                    try Self.spendToken(world)
                    try await Self.make(change, world)
                },
                Self(
                    name: "POST of \(change.rawValue) with a token that is renewed meanwhile, accepted",
                    aim: MessageLoser.Aim(method: .post), message: .results([.accepted]), targets: [target],
                    judged: [target]
                ) { world in
                    let auth = HTTPAuth.renewing("spent") { _ in LostMessageWorld.token }
                    world.phone.loser.use(try HTTPRemote(url: world.url, auth: auth))
                    try await Self.make(change, world)
                },
            ]
        } + [
            Self(name: "401 to a GET", aim: MessageLoser.Aim(method: .get), message: .failed(.auth)) { world in
                try await Self.moveOthers(world)
                try Self.spendToken(world)
            },
            Self(
                name: "GET after a 401 to a POST", aim: MessageLoser.Aim(method: .get), message: .page(hasMore: false)
            ) { world in
                try await world.editTitle("2", on: world.tablet, by: "e")
                try await world.sync(world.tablet)
                try Self.spendToken(world)
                try await Self.make(.edit, world)
            },
        ]

    /// The server no longer knows the token of the phone.
    private static func spendToken(_ world: LostMessageWorld) throws {
        try world.usePhone(token: "spent")
    }
}
