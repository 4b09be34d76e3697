import TidemarkJSON

// What outlives a process that is started for one sync and then ends: without it a batch would never be bisected, and
// no record ever be found alone with its failure (SPEC §3.6).

extension SyncEngine {
    private static let troubleKey = "trouble"

    /// Takes up the trouble that an earlier process was in.
    func resumeTrouble(of collection: String) throws(TidemarkError) {
        guard self.memory.exchanges[CodePointString(collection)] == nil else { return }
        var exchange = Exchange()
        exchange.savedTrouble = try self.store.setting("\(Self.troubleKey)/\(collection)")
        if let text = exchange.savedTrouble, let trouble = try? JSON(parsing: text) {
            exchange.batchSize = trouble["batch"].flatMap { Int($0.text) }
            exchange.attempts = trouble["attempts"].flatMap { Int($0.text) } ?? 0
            exchange.suspect = trouble["suspect"]?.string
            exchange.isAccountInDoubt = trouble["renewed"] != nil
        }
        self.keep(exchange, of: collection)
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
    /// What a later process has to know, as JSON text; nil when there is no trouble.
    fileprivate var trouble: String? {
        var members: [(String, JSON)] = []
        if let batchSize = self.batchSize { members.append(("batch", .number(JSONNumber(batchSize)))) }
        if self.attempts > 0 { members.append(("attempts", .number(JSONNumber(self.attempts)))) }
        if let suspect = self.suspect { members.append(("suspect", .string(JSONString(suspect)))) }
        if self.isAccountInDoubt { members.append(("renewed", true)) }
        return members.isEmpty ? nil : JSON.object(JSONObject(members)).text
    }
}
