import TidemarkJSON
import TidemarkMachine

// What outlives a process that is started for one sync and then ends: without it a batch would never be bisected, no
// record ever be found alone with its failure (SPEC §3.6), and the feed not be read after a POST that failed (§3.1).

extension SyncEngine {
    private static let troubleKey = "trouble"

    /// Takes up the trouble that an earlier process was in.
    func resumeTrouble(of collection: String) throws(TidemarkError) {
        guard self.memory.exchanges[CodePointString(collection)] == nil else { return }
        self.keep(try self.standing(of: collection), of: collection)
    }

    /// How the exchange of a collection stands; where this process has not begun one, as the last one left it.
    func standing(of collection: String) throws(TidemarkError) -> Exchange {
        if let exchange = self.memory.exchanges[CodePointString(collection)] { return exchange }
        return Exchange(trouble: try self.store.setting("\(Self.troubleKey)/\(collection)"))
    }

    /// Keeps the trouble that the exchange is in; writes only when it is another one than before.
    func saveTrouble(of collection: String) throws(TidemarkError) {
        var exchange = self.exchange(of: collection)
        let trouble = exchange.trouble
        guard trouble != exchange.savedTrouble else { return }
        try self.store.set("\(Self.troubleKey)/\(collection)", to: trouble)
        exchange.savedTrouble = trouble
        self.keep(exchange, of: collection)
    }

    /// Forgets the exchange of a collection, and the trouble it was in.
    func forgetExchange(of collection: String) throws(TidemarkError) {
        try self.store.set("\(Self.troubleKey)/\(collection)", to: nil)
        self.memory.exchanges[CodePointString(collection)] = nil
    }
}

extension Exchange {
    /// The longest message that is kept: a server may say a lot.
    private static let messageSize = 1_024

    fileprivate init(trouble text: String?) {
        self.savedTrouble = text
        guard let text, let trouble = try? JSON(parsing: text) else { return }
        func count(_ name: String) -> Int? { trouble[name].flatMap { Int($0.text) } }
        self.batchSize = count("batch")
        self.pageSize = count("page")
        self.attempts = count("attempts") ?? 0
        self.failedPosts = count("posts") ?? 0
        self.readsFirst = trouble["read"] != nil
        self.loners.suspect = trouble["suspect"]?.string
        self.loners.last = trouble["lone"]?.string
        self.loners.areSeveral = trouble["several"] != nil
        self.loners.canWrite = trouble["written"] != nil
        // Requests are counted anew in each process.
        self.renewedAfter = trouble["renewed"] == nil ? nil : 0
        if let failureClass = trouble["class"]?.string.flatMap({ FailureClass(rawValue: $0) }) {
            self.postFailure = RemoteFailure(failureClass, trouble["message"]?.string ?? "")
        }
    }

    /// What a later process has to know, as JSON text; nil when there is no trouble.
    fileprivate var trouble: String? {
        let counts = [
            ("batch", self.batchSize), ("page", self.pageSize), ("attempts", self.attempts > 0 ? self.attempts : nil),
            ("posts", self.failedPosts > 0 ? self.failedPosts : nil),
        ]
        let flags = [
            ("read", self.readsFirst), ("several", self.loners.areSeveral), ("written", self.loners.canWrite),
            ("renewed", self.isAccountInDoubt),
        ]
        let texts = [
            ("suspect", self.loners.suspect), ("lone", self.loners.last),
            ("class", self.postFailure?.failureClass.rawValue),
            ("message", self.postFailure.map { String($0.message.prefix(Self.messageSize)) }),
        ]
        var members = counts.compactMap { name, value in value.map { (name, JSON.number(JSONNumber($0))) } }
        members += flags.filter(\.1).map { name, _ in (name, true) }
        members += texts.compactMap { name, value in value.map { (name, JSON.string(JSONString($0))) } }
        return members.isEmpty ? nil : JSON.object(JSONObject(members)).text
    }
}
