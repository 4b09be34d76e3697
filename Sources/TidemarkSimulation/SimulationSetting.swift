package import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkRulesFile
import TidemarkServer

/// The settings of a run: the number of devices, their conflict rules, and the limits.
package struct SimulationSetting: Hashable, Sendable {
    /// The seed of request ids, pks and jitter.
    package var seed: UInt64 = 1
    package var devices = 2
    /// The number of records that the first device has created, and the server has, before the first step.
    var records = 0
    var pageSize = 500
    var batchSize = 100
    var rounds = 5
    var poisonFailures = 3
    var unansweredPosts = 5
    /// The maximum size in bytes of a POST and of its answer.
    var bodyBytes = SyncLimits().bodySize
    var answerBytes = SyncLimits().answerSize
    /// Whether (1) a delete of a missing record is refused.
    var strictDeletions = 0
    /// Whether (1) the member `/ref` of notes and tasks names a note, and the server has a foreign key for it.
    var references = 0
    /// How many transitions the stores keep; 0 for no trace.
    var traceLimit = 0
    /// Whether (1) each merge counts as large, and is made before its input.
    var mergesBefore = 0
    /// For how many seconds replaced values are journalled; 0 for none.
    var replacedFor = 0
    /// The server's limits in bytes: of items, of results, and of a stored result.
    var pageBytes = ServerLimits().pageBytes
    var resultBytes = ServerLimits().results
    var rememberedBytes = ServerLimits().rememberedResult
    /// How many known rows a sync may get, besides one for each record of the device.
    var knownRows = Self.fewKnownRows
    /// The plan of the run loop.
    var loop = Loop()
    var tactic = NamedTactic.autoMerge
    var editDelete = AutoMerge.DeletePolicy.editWins
    var deleteEdit = AutoMerge.DeletePolicy.editWins
    var rollbackPolicy = ServerRollbackPolicy.journal
    var refused = NamedRefusal.leave

    /// The field rules, in the order of the fields.
    var rules: [Field: NamedRule] = [:]

    /// Whether (1) a device has these rules only after a restart, as with a new version of the app.
    var lateRules = 0

    /// The collection of counters. Its only acts are additions, so that the sums are known.
    /// Its name has two spellings that look the same and are two names (Contract §5).
    package static let counts = "caf\u{E9}s"

    /// The other collections.
    package static let collections = ["notes", "tasks"]

    /// The member that names a note.
    static let reference = "/ref"

    /// The pks of their records.
    static let pks = ["a", "b", "c", "d", "e", "f"]

    /// The pks of records that a failing transaction creates: with another change they are more than a transaction may change.
    static let spares = ["s1", "s2", "s3", "s4", "s5"]

    /// All collections.
    package static let allCollections = Self.collections + [Self.counts]

    /// Tactics by name.
    enum NamedTactic: String, CaseIterable, Sendable {
        case autoMerge, takeServer, takeClient, askUser
    }

    /// The policies for refused changes, by name.
    enum NamedRefusal: String, CaseIterable, Sendable {
        case leave, ask, resign, retry
    }

    /// The fields of a record.
    enum Field: String, CaseIterable, Sendable {
        case title, x, text, tags, list, items, n
        /// The fields of an object in the record.
        case a = "in/a", b = "in/b"

        var pointer: String { "/\(self.rawValue)" }
    }

    /// Rules by name.
    enum NamedRule: String, CaseIterable, Sendable {
        case client, server, ask, union, list, text, keyed, sum

        /// The rule in a rules file (Contract §8).
        var json: JSON {
            switch self {
            case .keyed: ["keyed": "id"]
            case .client, .server, .ask, .union, .list, .text, .sum: .string(JSONString(self.rawValue))
            }
        }
    }
}

// MARK: - As a configuration

extension SimulationSetting {
    /// The configuration of a device.
    ///
    /// - Parameters:
    ///   - own: The configuration of an app, which replaces the drawn one.
    ///   - isFirst: Whether it is for the first start of the device.
    package func configuration(_ own: SyncConfiguration?, isFirst: Bool) throws -> SyncConfiguration {
        if isFirst, self.lateRules > 0 {
            var before = self
            before.rules = [:]
            return try before.configuration(own, isFirst: false)
        }
        var configuration = own ?? SyncConfiguration()
        for (name, rules) in try RulesFile(parsing: self.rulesFile(isDrawn: own == nil).bytes).collections {
            configuration[name.value] = rules
        }
        if own == nil {
            configuration.serverRolledBack = self.rollbackPolicy
            configuration.policies.refused = Refusals(policy: self.refused)
            configuration.policies.portal = HastyPolicy()
            configuration.retry = SteadyBackoff()
        }
        configuration.limits.pageSize = self.pageSize
        configuration.limits.batchSize = self.batchSize
        configuration.limits.rounds = self.rounds
        configuration.limits.poisonFailures = self.poisonFailures
        configuration.limits.unansweredPosts = self.unansweredPosts
        configuration.limits.knownRows = self.knownRows
        configuration.limits.bodySize = self.bodyBytes
        configuration.limits.answerSize = self.answerBytes
        configuration.limits.transactionRecords = Self.spares.count
        if own == nil, self.replacedFor > 0 { configuration.journalsReplacedFor = .seconds(self.replacedFor) }
        if own == nil, self.traceLimit > 0 { configuration.traceLimit = self.traceLimit }
        for name in Self.collections where self.references > 0 {
            configuration[name].references = [Self.reference: Self.collections[0]]
        }
        return configuration
    }

    /// Whether all edits fit into one request.
    var hasRoom: Bool { self.bodyBytes == SyncLimits().bodySize && self.answerBytes == SyncLimits().answerSize }

    var serverLimits: ServerLimits {
        var limits = ServerLimits()
        limits.pageBytes = self.pageBytes
        limits.results = self.resultBytes
        limits.rememberedResult = self.rememberedBytes
        return limits
    }

    /// The conflict rules as a rules file (Contract §8).
    private func rulesFile(isDrawn: Bool) -> JSON {
        var collections: [(String, JSON)] = [
            // Independent of the drawn rules, since the sums of these counters have to be known.
            (Self.counts, ["fields": ["/n": "sum"]]), ("cafe\u{301}s", ["tactic": "takeServer"]),
        ]
        if isDrawn { collections += Self.collections.map { ($0, self.drawnRules) } }
        return ["collections": Self.object(collections)]
    }

    private var drawnRules: JSON {
        var rules: [(String, JSON)] = [("tactic", .string(JSONString(self.tactic.rawValue)))]
        // The other tactics decide about deletions themselves.
        if self.tactic == .autoMerge {
            rules += [("editDelete", self.editDelete), ("deleteEdit", self.deleteEdit)].map {
                ($0, .string(JSONString($1.rawValue)))
            }
        }
        let fields = Field.allCases.compactMap { field in self.rules[field].map { (field.pointer, $0.json) } }
        return Self.object(rules + [("fields", Self.object(fields))])
    }

    private static func object(_ members: [(String, JSON)]) -> JSON {
        members.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }

    /// The limit of known rows of a sync, besides the records of its device. It is small, so that an endless feed reaches it within
    /// the permitted requests of a sync.
    static let fewKnownRows = 20

    /// How often a refused change is sent, if the policy sends it again.
    static let refusedTries = 3

    /// A policy that discards no addition to a counter, so that the sum is known.
    private struct Refusals: RefusalPolicy {
        var policy: NamedRefusal

        func decide(_ refusal: RefusedChange) -> RefusalVerdict {
            guard refusal.collection != SimulationSetting.counts else { return .leave }
            return switch self.policy {
            case .leave: .leave
            case .ask: .ask
            case .resign: .resign
            case .retry: FailurePolicies.RetryRefused(tries: SimulationSetting.refusedTries).decide(refusal)
            }
        }
    }
}

// MARK: - As text

extension SimulationSetting {
    /// The lines of the setting in a script, without default values.
    var lines: [String] {
        let usual = SimulationSetting()
        var lines = ["seed \(self.seed)", "devices \(self.devices)"]
        for (name, path) in Self.numbers where self[keyPath: path] != usual[keyPath: path] {
            lines.append("\(name) \(self[keyPath: path])")
        }
        for (name, path) in Loop.numbers where self.loop[keyPath: path] != usual.loop[keyPath: path] {
            lines.append("\(name) \(self.loop[keyPath: path])")
        }
        if self.tactic != usual.tactic { lines.append("tactic \(self.tactic.rawValue)") }
        if self.editDelete != usual.editDelete { lines.append("edit-delete \(self.editDelete.rawValue)") }
        if self.deleteEdit != usual.deleteEdit { lines.append("delete-edit \(self.deleteEdit.rawValue)") }
        if self.rollbackPolicy != usual.rollbackPolicy { lines.append("rolled-back \(self.rollbackPolicy.rawValue)") }
        if self.refused != usual.refused { lines.append("refused \(self.refused.rawValue)") }
        return lines
            + Field.allCases.compactMap { field in
                self.rules[field].map { "rule \(field.pointer) \($0.rawValue)" }
            }
    }

    private static var numbers: [(String, WritableKeyPath<SimulationSetting, Int>)] {
        [
            ("records", \.records), ("page", \.pageSize), ("batch", \.batchSize), ("rounds", \.rounds),
            ("lone-failures", \.poisonFailures),
            ("silent-tries", \.unansweredPosts), ("body-bytes", \.bodyBytes), ("answer-bytes", \.answerBytes),
            ("strict-deletions", \.strictDeletions), ("references", \.references), ("trace", \.traceLimit),
            ("late-rules", \.lateRules),
            ("merges-before", \.mergesBefore),
            ("replaced-for", \.replacedFor),
            ("page-bytes", \.pageBytes),
            ("result-bytes", \.resultBytes),
            ("remembered-bytes", \.rememberedBytes), ("known-rows", \.knownRows),
        ]
    }

    /// Reads a line of a script; false if it is not a setting.
    mutating func take(_ line: Substring) -> Bool {
        var words = SimulationStep.Words(line)
        guard let name = words.next(), let value = words.next() else { return false }
        if let (_, path) = Self.numbers.first(where: { $0.0 == name }) {
            return Self.set(&self[keyPath: path], Int(value).flatMap { $0 > 0 ? $0 : nil })
        }
        if let (_, path) = Loop.numbers.first(where: { $0.0 == name }) {
            return Self.set(&self.loop[keyPath: path], Int(value).flatMap { $0 > 0 ? $0 : nil })
        }
        switch name {
        case "seed": return Self.set(&self.seed, UInt64(value))
        case "devices":
            return Self.set(
                &self.devices, Int(value).flatMap { (1...SimulationStep.deviceNames.count).contains($0) ? $0 : nil })
        case "tactic": return Self.set(&self.tactic, NamedTactic(rawValue: value))
        case "edit-delete": return Self.set(&self.editDelete, AutoMerge.DeletePolicy(rawValue: value))
        case "delete-edit": return Self.set(&self.deleteEdit, AutoMerge.DeletePolicy(rawValue: value))
        case "rolled-back": return Self.set(&self.rollbackPolicy, ServerRollbackPolicy(rawValue: value))
        case "refused": return Self.set(&self.refused, NamedRefusal(rawValue: value))
        case "rule":
            guard value.hasPrefix("/"), let field = Field(rawValue: String(value.dropFirst())),
                let rule = words.next().flatMap(NamedRule.init)
            else { return false }
            self.rules[field] = rule
            return true
        case _: return false
        }
    }

    private static func set<Value>(_ place: inout Value, _ value: Value?) -> Bool {
        guard let value else { return false }
        place = value
        return true
    }
}
