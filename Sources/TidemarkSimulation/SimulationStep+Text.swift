import TidemarkTesting

// Steps as lines of text. Names come first: `phone type notes a /title v7`.

extension SimulationStep {
    package static let deviceNames = ["phone", "tablet", "laptop", "watch", "desk", "car", "kiosk", "spare"]

    /// The line of a script.
    package var text: String {
        switch self {
        case .device(let index, let act): "\(Self.deviceNames[index]) \(act.text)"
        case .answer(let number, let fate): "answer \(number) \(fate.rawValue)"
        case .late(let number): "late \(number)"
        case .server(let act): "server \(act.text)"
        }
    }

    /// Reads a line; nil if it is not a step.
    init?(_ line: Substring) {
        var words = Words(line)
        guard let step = Self.read(&words), words.isEmpty else { return nil }
        self = step
    }

    private static func read(_ words: inout Words) -> SimulationStep? {
        switch words.next() {
        case "answer":
            guard let number = words.number(), let fate = words.next().flatMap(AnswerFate.init) else { return nil }
            return .answer(number, fate)
        case "late": return words.number().map { .late($0) }
        case "server": return ServerAct(&words).map { .server($0) }
        case let name:
            guard let name, let index = Self.deviceNames.firstIndex(of: name) else { return nil }
            return DeviceAct(&words).map { .device(index, $0) }
        }
    }

    /// The words of a line.
    struct Words {
        private var rest: ArraySlice<Substring>

        init(_ line: Substring) {
            self.rest = line.split(separator: " ")[...]
        }

        var isEmpty: Bool { self.rest.isEmpty }

        mutating func next() -> String? { self.rest.popFirst().map { String($0) } }

        mutating func number() -> Int? { self.rest.popFirst().flatMap { Int($0) } }

        /// A number that is not negative: of a word, or an index.
        mutating func count() -> Int? { self.number().flatMap { $0 >= 0 ? $0 : nil } }

        mutating func word() -> Int? {
            guard let text = self.next(), text.hasPrefix("v") else { return nil }
            return Int(text.dropFirst())
        }

        mutating func place() -> Place? {
            guard let collection = self.next(), let pk = self.next() else { return nil }
            return Place(collection: collection, pk: pk)
        }
    }
}

extension SimulationStep.Place {
    package var text: String { "\(self.collection) \(self.pk)" }
}

extension SimulationStep.DeviceAct {
    var text: String {
        switch self {
        case .create(let place, let word): "create \(place.text) v\(word)"
        case .type(let place, let field, let word): "type \(place.text) \(field) v\(word)"
        case .clear(let place, let field): "clear \(place.text) \(field)"
        case .append(let place, let field, let word): "append \(place.text) \(field) v\(word)"
        case .drop(let place, let field, let index): "drop \(place.text) \(field) \(index)"
        case .insert(let place, let field, let index, let word): "insert \(place.text) \(field) \(index) v\(word)"
        case .move(let place, let field, let index, let other): "move \(place.text) \(field) \(index) \(other)"
        case .put(let place, let field, let key, let word): "put \(place.text) \(field) \(key) v\(word)"
        case .draft(let place): "draft \(place.text)"
        case .save(let place, let field, let word): "save \(place.text) \(field) v\(word)"
        case .add(let place, let number): "add \(place.text) \(number)"
        case .delete(let place): "delete \(place.text)"
        case .point(let place, let other): "point \(place.text) \(other.text)"
        case .transact(let place, let other, let word, let course):
            "transact \(place.text) \(other.text) v\(word) \(course.rawValue)"
        case .amend(let place, let field, let word): "amend \(place.text) \(field) v\(word)"
        case .undo: "undo"
        case .redo: "redo"
        case .release(let place): "release \(place.text)"
        case .resign(let place): "resign \(place.text)"
        case .restore(let collection, let entry): "restore \(collection) \(entry)"
        case .restoreLost(let collection): "restore-lost \(collection)"
        case .look(let collection, let conflict): "look \(collection) \(conflict)"
        case .decide(let collection, let choice): "decide \(collection) \(choice.text)"
        case .resolve(let collection, let conflict, let choice): "resolve \(collection) \(conflict) \(choice.text)"
        case .begin(let collection): "begin \(collection)"
        case .sync(let collection): "sync \(collection)"
        case .persist(let collection): "persist \(collection)"
        case .carry(let number, let fate): "carry \(number) \(fate.text)"
        case .wake(let collection): "wake \(collection)"
        case .renew(let collection): "renew \(collection)"
        case .restart: "restart"
        case .hand(let client): "hand \(client.rawValue)"
        case .respell: "respell"
        case .fail(let writes): "fail \(writes)"
        case .crash(let writes): "crash \(writes)"
        case .clock(let seconds): "clock \(seconds)"
        case .account(let isOther): "account \(isOther ? "other" : "own")"
        case .copy: "copy"
        case .run: "run"
        case .stop: "stop"
        case .later(let milliseconds): "later \(milliseconds)"
        case .offline: "offline"
        case .online: "online"
        case .hear(let fate): "hear \(fate.rawValue)"
        }
    }

    init?(_ words: inout SimulationStep.Words) {
        guard let verb = words.next(), let act = Self.ofRecord(verb, &words) ?? Self.ofDevice(verb, &words) else {
            return nil
        }
        self = act
    }

    /// Acts that name a record.
    private static func ofRecord(_ verb: String, _ words: inout SimulationStep.Words) -> Self? {
        let names = [
            "create", "type", "clear", "append", "drop", "insert", "move", "put", "draft", "save", "add", "delete",
            "transact", "amend", "release", "resign", "point",
        ]
        guard names.contains(verb), let place = words.place() else { return nil }
        switch verb {
        case "create": return words.word().map { .create(place, word: $0) }
        case "add": return words.number().map { .add(place, $0) }
        case "delete": return .delete(place)
        case "point": return words.place().map { .point(place, to: $0) }
        case "transact":
            guard let other = words.place(), let word = words.word(),
                let course = words.next().flatMap(SimulationStep.TransactionCourse.init)
            else { return nil }
            return .transact(place, deleting: other, word: word, course)
        case "draft": return .draft(place)
        case "release": return .release(place)
        case "resign": return .resign(place)
        case _: return words.next().flatMap { Self.ofField(verb, place, $0, &words) }
        }
    }

    private static func ofField(
        _ verb: String, _ place: SimulationStep.Place, _ field: String, _ words: inout SimulationStep.Words
    ) -> Self? {
        switch verb {
        case "type": return words.word().map { .type(place, field: field, word: $0) }
        case "save": return words.word().map { .save(place, field: field, word: $0) }
        case "amend": return words.word().map { .amend(place, field: field, word: $0) }
        case "append": return words.word().map { .append(place, field: field, word: $0) }
        case "drop": return words.count().map { .drop(place, field: field, index: $0) }
        case "insert":
            guard let index = words.count(), let word = words.word() else { return nil }
            return .insert(place, field: field, index: index, word: word)
        case "move":
            guard let index = words.count(), let other = words.count() else { return nil }
            return .move(place, field: field, index: index, to: other)
        case "put":
            guard let key = words.count(), let word = words.word() else { return nil }
            return .put(place, field: field, key: key, word: word)
        case _: return .clear(place, field: field)
        }
    }

    private static func ofDevice(_ verb: String, _ words: inout SimulationStep.Words) -> Self? {
        switch verb {
        case "undo": .undo
        case "redo": .redo
        case "restart": .restart
        case "hand": words.next().flatMap(SimulationStep.Client.init).map { .hand($0) }
        case "respell": .respell
        case "copy": .copy
        case "run": .run
        case "stop": .stop
        case "later": words.count().map { .later($0) }
        case "offline": .offline
        case "online": .online
        case "hear": words.next().flatMap(SimulationStep.HintFate.init).map { .hear($0) }
        case "fail": words.count().map { .fail($0) }
        case "crash": words.count().map { .crash($0) }
        case "clock": words.number().map { .clock($0) }
        case "account": words.next().map { .account(isOther: $0 == "other") }
        case "carry": words.count().flatMap { number in .init(carrying: number, &words) }
        case _: words.next().flatMap { Self.ofCollection(verb, $0, &words) }
        }
    }

    private init?(carrying number: Int, _ words: inout SimulationStep.Words) {
        guard let fate = SimulationStep.RequestFate(&words) else { return nil }
        self = .carry(number, fate)
    }

    private static func ofCollection(
        _ verb: String, _ collection: String, _ words: inout SimulationStep.Words
    ) -> Self? {
        switch verb {
        case "begin": return .begin(collection)
        case "sync": return .sync(collection)
        case "persist": return .persist(collection)
        case "wake": return .wake(collection)
        case "renew": return .renew(collection)
        case "restore-lost": return .restoreLost(collection)
        case "restore": return words.count().map { .restore(collection, $0) }
        case "look": return words.count().map { .look(collection, $0) }
        case "decide": return SimulationStep.Choice(&words).map { .decide(collection, $0) }
        case "resolve":
            guard let number = words.count(), let choice = SimulationStep.Choice(&words) else { return nil }
            return .resolve(collection, number, choice)
        case _: return nil
        }
    }
}

extension SimulationStep.Choice {
    private static let plain: [(name: String, choice: Self)] = [
        ("server", .server), ("client", .client), ("clashes-server", .clashesForServer),
        ("clashes-client", .clashesForClient), ("ask", .ask), ("keep-both", .keepBoth),
    ]

    var text: String {
        switch self {
        case .merge(let word): "merge v\(word)"
        case .fields(let sides): "fields \(sides)"
        case .server, .client, .clashesForServer, .clashesForClient, .ask, .keepBoth:
            Self.plain.first { $0.choice == self }?.name ?? ""
        }
    }

    init?(_ words: inout SimulationStep.Words) {
        let name = words.next()
        let choice: Self? =
            switch name {
            case "merge": words.word().map { .merge(word: $0) }
            case "fields": words.count().map { .fields(sides: $0) }
            case _: Self.plain.first { $0.name == name }?.choice
            }
        guard let choice else { return nil }
        self = choice
    }
}

extension SimulationStep.RequestFate {
    private static let plain: [(name: String, fate: Self)] = [
        ("whole", .whole), ("slow", .slow), ("twice", .twice), ("lost", .lost), ("late", .late),
        ("answer-lost", .answerLost), ("html", .html), ("redirect", .redirect),
    ]

    var text: String {
        switch self {
        case .cut(let bytes): "cut \(bytes)"
        case .status(let status): "status \(status)"
        case .statusAfter(let status): "status-after \(status)"
        case .refuse(let edit): "refuse \(edit)"
        case .busy(let edit): "busy \(edit)"
        case .rest(let seconds): "rest \(seconds)"
        case .whole, .slow, .twice, .lost, .late, .answerLost, .html, .redirect:
            Self.plain.first { $0.fate == self }?.name ?? ""
        }
    }

    init?(_ words: inout SimulationStep.Words) {
        let name = words.next()
        let fate: Self? =
            switch name {
            case "cut": words.count().map { .cut($0) }
            case "status": words.count().map { .status($0) }
            case "status-after": words.count().map { .statusAfter($0) }
            case "refuse": words.count().map { .refuse($0) }
            case "busy": words.count().map { .busy($0) }
            case "rest": words.count().map { .rest($0) }
            case _: Self.plain.first { $0.name == name }?.fate
            }
        guard let fate else { return nil }
        self = fate
    }
}

extension SimulationStep.ServerAct {
    var text: String {
        switch self {
        case .restart: "restart"
        case .backup: "backup"
        case .restore: "restore"
        case .anew: "anew"
        case .purge(let days): "purge \(days)"
        case .clock(let seconds): "clock \(seconds)"
        case .room(let rows, let bytes): "room \(rows) \(bytes)"
        case .trouble(let trouble): "trouble \(trouble.text)"
        }
    }

    init?(_ words: inout SimulationStep.Words) {
        let act: Self? =
            switch words.next() {
            case "restart": .restart
            case "backup": .backup
            case "restore": .restore
            case "anew": .anew
            case "purge": words.count().map { .purge(days: $0) }
            case "clock": words.number().map { .clock($0) }
            case "room":
                if let rows = words.count(), let bytes = words.count() { .room(rows: rows, bytes: bytes) } else { nil }
            case "trouble": SimulationStep.Trouble(&words).map { .trouble($0) }
            case _: nil
            }
        guard let act else { return nil }
        self = act
    }
}
