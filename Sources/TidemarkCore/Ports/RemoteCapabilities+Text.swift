import TidemarkJSON
import TidemarkRules

// The capabilities as a text: the owner of a store saves them in it for programs without a server.

extension SyncEngine {
    /// Saves the capabilities, unless they are saved already: opening a store that does not change writes nothing.
    func declareCapabilities() throws(TidemarkError) {
        let text = self.capabilities.storedText
        guard try self.store.setting(RemoteCapabilities.key) != text else { return }
        try self.store.transaction { () throws(TidemarkError) in
            try self.store.set(RemoteCapabilities.key, to: text)
        }
    }
}

extension RemoteCapabilities {
    package static let key = "capabilities"

    /// The capabilities of the owner's server; those of a native server if the owner has stored none.
    ///
    /// - Throws: ``TidemarkError/Code/storeNewer`` if this code does not understand them. No value is assumed then: an edit with too few
    ///   ``serverMembers`` would send the server's members back.
    static func stored(in store: some RecordStore) throws(TidemarkError) -> RemoteCapabilities {
        guard let text = try store.setting(Self.key) else { return .native }
        guard let capabilities = RemoteCapabilities(text: text) else {
            throw TidemarkError(
                .storeNewer,
                """
                The capabilities of the server, which the owner of this store has saved in it, can't be read by this version \
                of Tidemark. Build this program with the owner's version; if it has that version, open the store once with the \
                owner, which saves them again.
                """)
        }
        return capabilities
    }

    /// The text that an owner saves; nil for a native server, for which an absent text counts.
    var storedText: String? { self == .native ? nil : self.text }

    /// The capabilities as compact JSON. Durations are whole milliseconds, rounded up.
    var text: String {
        var object = JSONObject()
        func add(_ name: String, _ value: String) { object[name] = JSON(value) }
        func add(_ name: String, _ time: Duration) { object[name] = JSON(time.roundedMilliseconds) }
        func add(_ name: String, _ pointers: [JSONPointer]) {
            if !pointers.isEmpty { object[name] = .array(pointers.map { JSON($0.text) }) }
        }
        switch self.condition {
        case .atomic: add("condition", "atomic")
        case .checkedFirst(let watch):
            add("condition", "checkedFirst")
            add("watch", watch)
        case .none: add("condition", "none")
        }
        switch self.repetition {
        case .answeredAgain: add("repetition", "answeredAgain")
        case .recognized: add("repetition", "recognized")
        }
        switch self.feed {
        case .ordered: add("feed", "ordered")
        case .late(let time):
            add("feed", "late")
            add("late", time)
        case .listing: add("feed", "listing")
        }
        switch self.tombstones {
        case .forever: add("tombstones", "forever")
        case .kept(let time, let isSignalled):
            add("tombstones", isSignalled ? "keptWithSignal" : "kept")
            add("kept", time)
        case .none: add("tombstones", "none")
        }
        switch self.names {
        case .client: add("names", "client")
        case .member(let member):
            add("names", "member")
            add("member", member.text)
        case .server: add("names", "server")
        }
        switch self.values {
        case .exact: add("values", "exact")
        case .byValue: add("values", "byValue")
        case .rounded: add("values", "rounded")
        }
        object["judgesSeen"] = JSON(self.judgesSeen)
        add("serverMembers", self.serverMembers)
        add("carriedMembers", self.carriedMembers)
        if let batchSize = self.batchSize { object["batchSize"] = JSON(batchSize) }
        return JSON.object(object).text
    }

    /// Reads a ``text``; nil if any part is unknown or missing.
    init?(text: String) {
        guard let json = try? JSON(parsing: text), let object = json.object,
            object.allSatisfy({ Self.parts.contains($0.0) }),
            let condition = Condition(json), let repetition = Repetition(json), let feed = Feed(json),
            let tombstones = Tombstones(json), let names = Names(json), let values = Values(json),
            let judgesSeen = json["judgesSeen"]?.bool,
            let serverMembers = json.pointers("serverMembers"), let carriedMembers = json.pointers("carriedMembers")
        else { return nil }
        if let batchSize = json["batchSize"] {
            guard let size = batchSize.int, size > 0 else { return nil }
            self.batchSize = size
        } else {
            self.batchSize = nil
        }
        (self.condition, self.repetition, self.feed) = (condition, repetition, feed)
        (self.tombstones, self.names, self.values) = (tombstones, names, values)
        (self.judgesSeen, self.serverMembers, self.carriedMembers) = (judgesSeen, serverMembers, carriedMembers)
    }

    private static let parts: Set<String> = [
        "condition", "watch", "repetition", "feed", "late", "tombstones", "kept", "names", "member", "values",
        "judgesSeen", "serverMembers", "carriedMembers", "batchSize",
    ]
}

extension RemoteCapabilities.Condition {
    fileprivate init?(_ json: JSON) {
        switch json["condition"]?.string {
        case "atomic": self = .atomic
        case "checkedFirst":
            guard let watch = json.duration("watch") else { return nil }
            self = .checkedFirst(watch: watch)
        case "none": self = .none
        default: return nil
        }
    }
}

extension RemoteCapabilities.Repetition {
    fileprivate init?(_ json: JSON) {
        switch json["repetition"]?.string {
        case "answeredAgain": self = .answeredAgain
        case "recognized": self = .recognized
        default: return nil
        }
    }
}

extension RemoteCapabilities.Feed {
    fileprivate init?(_ json: JSON) {
        switch json["feed"]?.string {
        case "ordered": self = .ordered
        case "late":
            guard let time = json.duration("late") else { return nil }
            self = .late(time)
        case "listing": self = .listing
        default: return nil
        }
    }
}

extension RemoteCapabilities.Tombstones {
    fileprivate init?(_ json: JSON) {
        let kind = json["tombstones"]?.string
        switch kind {
        case "forever": self = .forever
        case "kept", "keptWithSignal":
            guard let time = json.duration("kept") else { return nil }
            self = .kept(time, isSignalled: kind == "keptWithSignal")
        case "none": self = .none
        default: return nil
        }
    }
}

extension RemoteCapabilities.Names {
    fileprivate init?(_ json: JSON) {
        switch json["names"]?.string {
        case "client": self = .client
        case "member":
            guard let member = json["member"]?.string.flatMap({ try? JSONPointer(parsing: $0) }) else { return nil }
            self = .member(member)
        case "server": self = .server
        default: return nil
        }
    }
}

extension RemoteCapabilities.Values {
    fileprivate init?(_ json: JSON) {
        switch json["values"]?.string {
        case "exact": self = .exact
        case "byValue": self = .byValue
        case "rounded": self = .rounded
        default: return nil
        }
    }
}

extension Duration {
    /// The smallest number of milliseconds that is not less; at most what a JSON number keeps exactly everywhere.
    fileprivate var roundedMilliseconds: Int64 {
        let (seconds, attoseconds) = self.components
        guard seconds < Self.mostSeconds else { return Self.mostSeconds * 1_000 }
        return seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }

    fileprivate static let mostSeconds: Int64 = 1 << 40
}

extension JSON {
    fileprivate func duration(_ name: String) -> Duration? {
        guard let count = self[name]?.int, count >= 0, count <= Duration.mostSeconds * 1_000 else { return nil }
        return .milliseconds(count)
    }

    fileprivate func pointers(_ name: String) -> [JSONPointer]? {
        guard let value = self[name] else { return [] }
        guard let texts = value.array else { return nil }
        var pointers: [JSONPointer] = []
        for text in texts {
            guard let text = text.string, let pointer = try? JSONPointer(parsing: text) else { return nil }
            pointers.append(pointer)
        }
        return pointers
    }
}
