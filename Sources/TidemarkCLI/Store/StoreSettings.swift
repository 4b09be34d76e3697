import Tidemark
import TidemarkAdapters
import TidemarkRulesFile

/// The settings of `tidemark init`; the store has them as one value.
struct StoreSettings: Equatable {
    /// The URL of the server.
    var remote: String?

    /// The token for the server.
    var token: String?

    /// The certificates that sign the server's, as PEM; nil for those of the system.
    var certificates: String?

    /// Additional header fields for the server.
    var headers: [String: String]?

    /// The text of the rules file.
    var rules: String?

    /// The tactic for collections that the rules file does not name.
    var tactic = TacticName.autoMerge

    /// How long an accepted value is journalled if another client replaces it; nil for never.
    var replacedFor: Duration?

    static let key = "command-line"

    /// How many of its latest transitions the tool keeps as a trace.
    private static let traceLimit = 1_000

    /// No settings.
    init() {}

    /// Reads the settings of a store.
    init(text: String) throws(CommandFailure) {
        guard let json = try? JSON(parsing: text), json.object != nil else {
            throw CommandFailure("The settings in the store can't be read. Run tidemark init again.")
        }
        self.remote = json["remote"]?.string
        self.token = json["token"]?.string
        self.certificates = json["ca"]?.string
        self.headers = json["headers"]?.object.map { object in
            Dictionary(
                object.compactMap { name, value in value.string.map { ("\(name)", $0) } }, uniquingKeysWith: { $1 })
        }
        self.rules = json["rules"]?.string
        self.tactic = json["tactic"]?.string.flatMap(TacticName.init(rawValue:)) ?? .autoMerge
        self.replacedFor = json["replaced_for"]?.int.map { .seconds(max(0, $0)) }
    }

    var text: String {
        var line = JSONLine()
        line.add("remote", self.remote)
        line.add("token", self.token)
        line.add("ca", self.certificates)
        line.add("headers", self.headers.flatMap { try? JSON(encoding: $0) })
        line.add("rules", self.rules)
        line.add("tactic", self.tactic.rawValue)
        if let time = self.replacedFor { line.add("replaced_for", Int(time.components.seconds)) }
        return String(decoding: line.bytes, as: UTF8.self)
    }

    /// The configuration of a client with these settings.
    func configuration() throws(CommandFailure) -> SyncConfiguration {
        var configuration = SyncConfiguration()
        configuration.rules.tactic = self.tactic.tactic
        configuration.traceLimit = Self.traceLimit
        configuration.journalsReplacedFor = self.replacedFor
        if let rules = self.rules {
            let text = InputText(Array(rules.utf8), named: "(rules in the store)")
            configuration.collections = try text.reading { (bytes) throws(JSONError) in
                try RulesFile(parsing: bytes, tactic: self.tactic.tactic).collections
            }
        }
        // The store can be that of an app: its indexes are dropped only if the rules file names others.
        configuration.keepsIndexes = configuration.collections.values.allSatisfy {
            $0.indexes.isEmpty && $0.references.isEmpty
        }
        return configuration
    }

    /// A remote for the server of these settings.
    func makeRemote() throws -> any Remote {
        guard let remote = self.remote else { return UnreachableRemote() }
        var options = HTTPRemote.Options()
        options.certificates = self.certificates.map { Array($0.utf8) }
        options.headers = self.headers ?? [:]
        return try HTTPRemote(url: remote, token: self.token, options: options)
    }
}

/// The remote of a store without a server: records can be created and edited, and stay unsent.
struct UnreachableRemote: Remote {
    var capabilities = RemoteCapabilities.native

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        throw RemoteFailure(.offline, "This store has no server yet: run tidemark init with --remote URL.")
    }
}

/// The name of a tactic on the command line.
enum TacticName: String, CaseIterable {
    case autoMerge = "auto-merge"
    case takeServer = "take-server"
    case takeClient = "take-client"
    case askUser = "ask-user"

    var tactic: any Tactic {
        switch self {
        case .autoMerge: .autoMerge
        case .takeServer: .takeServer
        case .takeClient: .takeClient
        case .askUser: .askUser
        }
    }
}
