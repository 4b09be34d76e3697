import Tidemark
import TidemarkAdapters
import TidemarkRulesFile

/// `tidemark init`: creates a store, or changes the server, the token or the rules of one.
enum InitCommand: Command {
    static let name = "init"
    static let summary = "create a store for a server, or change its settings"
    static let options = [
        Option.store, Self.remote, Self.token, Self.tokenFile, Self.noToken, GivenCertificates.option,
        Self.noCertificates, GivenHeaders.option, Self.noHeaders, Self.rules, Self.noRules, Self.tactic,
        Self.replaced, Self.noReplaced,
    ]
    static let example = "tidemark init --store phone.db --remote http://127.0.0.1:8080/v1"

    private static let remote = Option(name: "--remote", value: "URL", summary: "the server; required for a new store")
    private static let token = Option(
        name: "--token", value: "T",
        summary: "the token for the server; default: TIDEMARK_TOKEN")
    private static let tokenFile = Option(
        name: "--token-file", value: "FILE",
        summary: "a file with the token, which then is in no list of processes", kind: .file)
    private static let noToken = Option(name: "--no-token", summary: "remove the token of the store")
    private static let noCertificates = Option(
        name: "--no-ca", summary: "remove the certificates of --ca; those of the system count again")
    private static let noHeaders = Option(
        name: "--no-headers", summary: "remove the header fields of --header-file")
    private static let rules = Option(
        name: "--rules", value: "FILE", summary: "the rules file: how conflicts of each collection are decided",
        kind: .file)
    private static let noRules = Option(name: "--no-rules", summary: "remove the rules of the store")
    private static let tactic = Option(
        name: "--tactic", value: "T",
        summary: "the tactic without rules: auto-merge, take-server, take-client, ask-user",
        kind: .choice(TacticName.allCases.map(\.rawValue)))

    private static let replaced = Option(
        name: "--journal-replaced", value: "TIME",
        summary: "how long to journal a value that another client replaces")
    private static let noReplaced = Option(name: "--no-journal-replaced", summary: "journal no replaced values")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        // The arguments are checked before a file is created.
        var change = StoreSettings()
        change.remote = input.value(Self.remote)
        let given = try GivenToken(
            typed: input.value(Self.token), file: input.value(Self.tokenFile), isRemoved: input.has(Self.noToken),
            console)
        change.token = given.token(after: nil)
        change.certificates = try Self.certificates(input, console)
        change.headers = try Self.headers(input, console)
        change.rules = try Self.rulesText(input, console)
        if let tactic = try Self.tacticName(input) { change.tactic = tactic }
        change.replacedFor = try input.span(Self.replaced)
        let isReplacedGiven = change.replacedFor != nil || input.has(Self.noReplaced)
        guard change.replacedFor == nil || !input.has(Self.noReplaced) else {
            throw UsageError("--no-journal-replaced journals no replaced values; give no time with it", for: Self.self)
        }
        if let remote = change.remote { try Self.check(remote, change.token) }

        let path = try input.required(Option.store)
        let file = StoreFile(path)
        if change.remote == nil, file.kind == .missing || file.isEmpty { throw Self.noRemote }
        let store = try await OpenStore(path: path, .madeIfMissing)
        do {
            try await Self.change(
                store, to: change, given, isTacticGiven: input.has(Self.tactic), isReplacedGiven: isReplacedGiven,
                console)
        } catch {
            await store.discard()
            throw error
        }
        return .success
    }

    private static func change(
        _ store: OpenStore, to change: StoreSettings, _ given: GivenToken, isTacticGiven: Bool, isReplacedGiven: Bool,
        _ console: Console
    ) async throws {
        var settings = store.settings
        settings.remote = change.remote ?? settings.remote
        settings.token = given.token(after: settings.token)
        if let certificates = change.certificates {
            settings.certificates = certificates.isEmpty ? nil : certificates
        }
        if let headers = change.headers { settings.headers = headers.isEmpty ? nil : headers }
        if let rules = change.rules { settings.rules = rules.isEmpty ? nil : rules }
        if isTacticGiven { settings.tactic = change.tactic }
        if isReplacedGiven { settings.replacedFor = change.replacedFor }
        guard let remote = settings.remote else { throw Self.noRemote }
        let guarantees = try settings.makeRemote().capabilities.guarantees
        _ = try settings.configuration()
        try await store.client.set(StoreSettings.key, to: settings.text)
        // Unsent changes are not sent before the server has confirmed which account the new token belongs to.
        let isSomeoneElse = settings.token != store.settings.token || settings.remote != store.settings.remote
        if isSomeoneElse { try await store.client.renew(remote: try settings.makeRemote()) }
        console.say(
            "\(store.path) syncs with \(remote): tidemark sync --store \(ShellWords.quoted(path: store.path)) COLLECTION"
        )
        for line in guarantees.lines { console.say(line) }
    }

    private static let noRemote = UsageError("--remote URL is missing: this store has no server yet", for: Self.self)

    private static func check(_ remote: String, _ token: String?) throws {
        do throws(TidemarkError) {
            _ = try HTTPRemote(url: remote, token: token)
        } catch {
            throw UsageError(error.message, for: Self.self)
        }
    }

    /// The certificates; empty to remove them, nil to keep them.
    private static func certificates(_ input: Arguments, _ console: Console) throws -> String? {
        guard let path = input.value(GivenCertificates.option) else { return input.has(Self.noCertificates) ? "" : nil }
        guard !input.has(Self.noCertificates) else {
            throw UsageError("--no-ca removes the certificates; give no others with it", for: Self.self)
        }
        return String(decoding: try GivenCertificates.read(path, console, for: Self.self), as: UTF8.self)
    }

    /// The additional header fields; empty to remove them, nil to keep them.
    private static func headers(_ input: Arguments, _ console: Console) throws -> [String: String]? {
        guard let path = input.value(GivenHeaders.option) else { return input.has(Self.noHeaders) ? [:] : nil }
        guard !input.has(Self.noHeaders) else {
            throw UsageError("--no-headers removes the header fields; give no others with it", for: Self.self)
        }
        return try GivenHeaders.read(path, console, for: Self.self)
    }

    private static func rulesText(_ input: Arguments, _ console: Console) throws -> String? {
        guard let path = input.value(Self.rules) else { return input.has(Self.noRules) ? "" : nil }
        guard !input.has(Self.noRules) else {
            throw UsageError("--no-rules removes the rules; give no other rules with it", for: Self.self)
        }
        // A shell passes an empty argument for a variable that is not set.
        guard !path.isEmpty else {
            throw UsageError(
                "--rules needs the name of a file; to remove the rules, use --no-rules", for: Self.self)
        }
        let text = try InputText(path, console)
        _ = try text.reading { (bytes) throws(JSONError) in try RulesFile(parsing: bytes) }
        return String(decoding: text.bytes, as: UTF8.self)
    }

    private static func tacticName(_ input: Arguments) throws(UsageError) -> TacticName? {
        guard let text = input.value(Self.tactic) else { return nil }
        // The names of the cases are those of a rules file, such as takeServer.
        guard let name = TacticName(rawValue: text) ?? TacticName.allCases.first(where: { "\($0)" == text }) else {
            let known = TacticName.allCases.map(\.rawValue)
            throw UsageError("--tactic \(text): \(NearestName.hint(for: text, among: known))", for: Self.self)
        }
        return name
    }
}
