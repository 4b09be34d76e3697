import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

extension ExchangeWorld {
    /// What a step was, for whoever watches it.
    struct Passage {
        /// What the device heard.
        var answer: ExchangeAnswer?
        var failure: RemoteFailure?
        /// The record that the app did something with.
        var touched: String?
        /// What went out.
        var sent: ExchangeRequest?
    }

    /// Hears the engine while a step is taken.
    private final class Tracks {
        var cells: [Cell] = []
        var records: [World.Cell] = []
    }

    /// The state after a step.
    public func taking(_ move: Move) -> ExchangeWorld {
        var next = self
        next.store = self.store.copy()
        next.engine = SyncEngine(goingOnFrom: self.engine, over: next.store)
        let tracks = Tracks()
        next.listen(tracks)
        var passage = Passage()
        do throws(TidemarkError) {
            try next.take(move, &passage) { $0.listen(tracks) }
            try next.look()
        } catch {
            next.violation = "R24: an input is refused with “\(error.code)”: \(error.message)"
        }
        next.engine.trace = nil
        (next.taken, next.recordsTaken) = (tracks.cells, tracks.records)
        if next.violation == nil { next.watch(passage, from: self) }
        return next
    }

    private func listen(_ tracks: Tracks) {
        self.engine.trace = { step in
            switch step {
            case .exchange(let trace): tracks.cells.append(Cell(phase: trace.source, event: trace.event))
            case .record(let trace): tracks.records.append(World.Cell(phase: trace.source, event: trace.event))
            case .opened, .forgotten: break
            }
        }
    }

    private mutating func take(
        _ move: Move, _ passage: inout Passage, listening: (ExchangeWorld) -> Void
    ) throws(TidemarkError) {
        let now = self.now
        switch move {
        case .act(let act, let pk):
            self.edits -= 1
            passage.touched = pk
            try self.act(act, on: pk, &passage)
        case .other(let act, let pk):
            self.writes -= 1
            self.write(act, to: pk, isLate: false)
        case .begins(let act, let pk):
            self.writes -= 1
            self.write(act, to: pk, isLate: true)
        case .becomesVisible:
            if let seen = self.server.commit(), seen.isAddition { self.sums[seen.pk, default: 0] += 1 }
        case .sync:
            if self.sent != nil || self.phase == .waiting { self.faults -= 1 }
            try self.input(&passage) { (engine) throws(TidemarkError) in try engine.sync(Self.collection, now: now) }
        case .wake:
            let time = max(now, self.shape.until ?? now)
            self.now = time
            try self.input(&passage) { (engine) throws(TidemarkError) in try engine.wake(Self.collection, now: time) }
        case .renew:
            if self.phase != .paused { self.faults -= 1 }
            try self.input(&passage) { (engine) throws(TidemarkError) in try engine.renew(Self.collection) }
        case .answer: try self.answer(&passage)
        case .fail(let fate):
            self.faults -= 1
            try self.fail(fate, &passage, listening: listening)
        case .arriveLate:
            if let late { _ = self.serve(late) }
            self.late = nil
        case .dropLate: self.late = nil
        case .server(let turn):
            self.faults -= 1
            self.take(turn)
        }
    }

    // MARK: The device

    /// Hands an input to the engine, and takes in its effects.
    mutating func input(
        _ passage: inout Passage, _ body: (SyncEngine) throws(TidemarkError) -> [SyncEffect]
    ) throws(TidemarkError) {
        for effect in try body(self.engine) {
            guard case .send(let request, let token) = effect else { continue }
            if self.sent != nil { self.violation = "§3: a second request goes out beside the first" }
            self.sent = Sent(request: request, token: token)
            passage.sent = request
        }
    }

    /// The process ends and begins again.
    mutating func restart() throws(TidemarkError) {
        self.sent = nil
        self.store = self.store.copy()
        self.engine = try self.setting.engine(
            over: self.store, seed: UInt64(self.server.history.last) &+ 1_000 &* UInt64(self.faults + 1))
    }

    // MARK: The app

    private mutating func act(_ act: Move.Act, on pk: String, _ passage: inout Passage) throws(TidemarkError) {
        let before = try self.view(pk)
        let wasSeen = self.records[pk]?.seen != nil
        var word: String?
        func typed(_ mark: String) -> String { "\(pk)\(self.typed[pk, default: 0] + 1)\(mark)" }
        switch act {
        case .create, .type: word = typed("")
        case .poison: word = typed("!")
        case .dislike: word = typed("?")
        case .add: self.sums[pk, default: 0] += 1
        case .delete, .release, .resign, .takeServer, .takeClient: break
        }
        if let word {
            self.typed[pk, default: 0] += 1
            self.pending.insert(word)
        }
        try self.input(&passage) { (engine) throws(TidemarkError) in
            try Self.perform(act, on: pk, word, by: engine)
        }
        let after = try self.view(pk)
        let gone = ExchangeWords.found(in: before?.bytes).subtracting(ExchangeWords.found(in: after?.bytes))
        self.mayLose.formUnion(gone)
        self.pending.subtract(gone)
        self.lostByServer.subtract(gone)
        self.checkView(after, before, act, word, wasSeen: wasSeen)
    }

    private static func perform(
        _ act: Move.Act, on pk: String, _ word: String?, by engine: SyncEngine
    ) throws(TidemarkError) -> [SyncEffect] {
        let text: JSON = .string(JSONString(word ?? ""))
        switch act {
        case .create: return try engine.create(["x": text, "n": 0], pk: pk, in: Self.collection).effects
        case .type, .poison, .dislike:
            return try engine.edit(pk, in: Self.collection) {
                var view = $0
                view["x"] = text
                return view
            }.effects
        case .add:
            return try engine.edit(pk, in: Self.collection) {
                var view = $0
                view["n"] = .number(JSONNumber((view["n"]?.int ?? 0) + 1))
                return view
            }.effects
        case .delete: return try engine.delete(pk, in: Self.collection).effects
        case .release: return try engine.release(pk, in: Self.collection)
        case .resign: return try engine.resign(pk, in: Self.collection)
        case .takeServer, .takeClient:
            guard let conflict = try engine.conflict(of: pk, in: Self.collection) else { return [] }
            return try engine.resolve(conflict, act == .takeServer ? .takeServer : .takeClient).effects
        }
    }

    private func view(_ pk: String) throws(TidemarkError) -> JSON? {
        try self.engine.snapshot(of: pk, in: Self.collection)?.content
    }

    /// I2: an app sees what it wrote.
    ///
    /// - Parameter wasSeen: Whether a row of the server was kept aside. An act that lets go of what was held makes it a conflict
    ///   at once, in which an edit there may win over a deletion here (R15).
    private mutating func checkView(
        _ after: JSON?, _ before: JSON?, _ act: Move.Act, _ word: String?, wasSeen: Bool
    ) {
        let isRight =
            switch act {
            case .create, .type, .poison, .dislike: after?["x"]?.string == word
            // An edit of a held record lets go of a row that was kept aside, and what others added comes with it.
            case .add: (after?["n"]?.int ?? 0) > before?["n"]?.int ?? 0
            case .delete: after == nil || wasSeen
            case .release: after == before
            case .resign, .takeServer, .takeClient: true
            }
        if !isRight { self.violation = "I2: the app does not see what it wrote" }
    }

    // MARK: Another device, and the server

    /// - Parameter isLate: Whether it is not visible yet.
    private mutating func write(_ act: Move.OthersAct, to pk: String, isLate: Bool) {
        let row = self.server.history.rows[pk]?.data.flatMap { try? JSON(parsing: $0) }
        let (x, n) = (row?["x"]?.string ?? "", row?["n"]?.int ?? 0)
        let data: [UInt8]?
        switch act {
        case .create, .type:
            self.othersTyped[pk, default: 0] += 1
            data = Self.content(x: "\(pk.uppercased())\(self.othersTyped[pk, default: 0])", n: n)
        case .add: data = Self.content(x: x, n: n + 1)
        case .delete: data = nil
        }
        if isLate { return self.server.begin(data, at: pk, isAddition: act == .add) }
        if act == .add { self.sums[pk, default: 0] += 1 }
        self.server.write(data, at: pk)
    }

    private mutating func take(_ turn: Move.ServerTurn) {
        let before = self.serverWords
        switch turn {
        case .purge: self.server.purge()
        case .goBack: self.server.goBack()
        case .beginAnew: self.server.beginAnew()
        }
        guard turn != .purge else { return }
        self.hasGoneBack = true
        // A watermark was too old, and what is listed from now on is all that there is: nothing tells that the server went back just
        // before the first page of that.
        let isUnawares =
            self.setting("claimed-loss/\(Self.collection)") != nil
            && self.setting("went-back/\(Self.collection)") == nil
        guard !isUnawares else { return }
        let lost = before.subtracting(self.serverWords)
        for record in self.records.values where record.phase == .synced {
            self.lostByServer.formUnion(ExchangeWords.found(in: record.confirmed.data).intersection(lost))
        }
    }

    /// All words in the server's rows.
    var serverWords: Set<String> {
        self.server.history.rows.values.reduce(into: []) { $0.formUnion(ExchangeWords.found(in: $1.data)) }
    }
}
