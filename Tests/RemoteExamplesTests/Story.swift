import RemoteExamples
import Synchronization
import TestSupport
import TidemarkAdapters
import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON
import TidemarkRules
import TidemarkTesting

/// Two devices over one server: their edits, their syncs and the faults of the network follow from a seed.
///
/// ```swift
/// let shop = FakeShop()
/// let end = try await Story(seed: seed).run(server: shop.answer, rows: { shop.rows }) { device, send in
///     RowRemote(ShopServer(send: send))
/// }
/// #expect(end.differences.isEmpty && end.lost.isEmpty, "\(end)")
/// ```
///
/// Between two requests of one device, the other one may edit and sync. A device may be killed before a request, or before the
/// answer arrives; it is started again with the data of its store. When the edits are over, the network is reliable, and both
/// devices sync until nothing is left to send.
struct Story {
    /// The records and the edits that the server permits.
    struct Form: Sendable {
        var collection = "notes"

        /// The contents of new records.
        var samples = Story.samples

        /// The pks that new records may have; both devices may create a record with the same pk.
        var pks = ["r1", "r2", "r3", "r4", "r5", "r6"]

        /// Whether members may be removed.
        var removesMembers = true

        /// Whether members may be added, and set to null.
        var addsMembers = true

        /// Whether the other device may edit and sync between two requests of one device.
        var interleaves = true

        /// Whether the server's rows and the devices have the same text of each number, and not only the same value.
        var comparesNumberText = true

        var steps = 60
    }

    /// The state when nothing is left to send.
    struct End: Sendable {
        /// How the devices differ from the server's rows; empty if they are equal.
        var differences: [String] = []

        /// The values that an app wrote and that no app replaced, but that neither the server nor a journal has.
        var lost: [String] = []

        /// The number of requests that did not arrive, of answers that were lost, of killed devices, and of journal entries.
        var lostRequests = 0, lostAnswers = 0, kills = 0, journaled = 0
    }

    let seed: UInt64
    var form = Form()

    /// Plays the story.
    ///
    /// - Parameters:
    ///   - server: The fake of the server.
    ///   - rows: Returns the present records of the server by pk, with the server's members.
    ///   - remote: Makes the remote of a device (0 or 1) that sends its requests with a function.
    func run<Server: Remote>(
        server: @escaping Send, rows: @escaping @Sendable () async throws -> [String: JSON],
        remote: @escaping @Sendable (_ device: Int, _ send: @escaping Send) throws -> Server
    ) async throws -> End {
        let cast = Cast(seed: self.seed, form: self.form)
        let configuration = SyncConfiguration(accepts: Set(SyncGuarantee.allCases))
        for device in [0, 1] {
            let disk = MemoryDisk()
            try cast.add { [seed = self.seed, collection = self.form.collection] in
                let remote = try remote(device, cast.send(from: device, to: server))
                let client = try SyncClient(
                    store: disk.open(), remote: remote, configuration: configuration, collections: [collection],
                    time: cast.clock, seed: seed &+ UInt64(device))
                return (client, remote.capabilities)
            }
        }
        for _ in 0..<self.form.steps {
            let device = cast.random(2)
            if cast.random(3) == 0 { try await cast.sync(device) } else { try await cast.edit(device) }
        }
        let isQuiet = try await cast.becomeQuiet()
        return try await cast.end(rows: try await rows(), isQuiet: isQuiet)
    }
}

extension Story {
    /// Real records, and one with numbers whose text differs from their value.
    static let samples: [JSON] = [
        #"{"avatar":"images/user_1.png","age":21,"admin":true,"name":"Леонард Никитин","company":"Jamconik","friends":[{"id":1,"name":"Артемий Попов"},{"id":2,"name":"Адам Иванов"}],"field":"field value"}"#,
        #"{"type":"PushEvent","actor":{"login":"jathanism","url":"https://api.github.com/users/jathanism","id":138052},"repo":{"id":6357414,"name":"jathanism/trigger"},"public":true,"payload":{"distinct_size":1,"ref":"refs/heads/issue-22","author":{"name":"jathanism"}}}"#,
        #"{"title":"Oat milk","price":1.10,"size":{"grams":1e2,"parts":{"a":1,"b":2}},"code":123456789012345678901234567890,"tags":["home"]}"#,
    ].compactMap { try? JSON(parsing: $0) }
}

/// The devices, the network and the written values of a story.
private final class Cast: Sendable {
    private struct State {
        var generator: SeededGenerator
        var devices: [SyncClient] = []
        var starts: [@Sendable () throws -> (SyncClient, RemoteCapabilities)] = []
        var members: [JSONPointer] = []
        var names = RemoteCapabilities.Names.client
        var isReliable = false
        var isInterleaving = false
        var lastValue = 0
        var written: [JSON] = []
        var replaced: Set<JSON> = []
        var end = Story.End()
    }

    let clock = ManualClock()
    private let form: Story.Form
    private let state: Mutex<State>

    init(seed: UInt64, form: Story.Form) {
        self.form = form
        self.state = Mutex(State(generator: SeededGenerator(seed: seed)))
    }

    func add(_ start: @escaping @Sendable () throws -> (SyncClient, RemoteCapabilities)) throws {
        let (client, capabilities) = try start()
        self.state.withLock { state in
            state.devices.append(client)
            state.starts.append(start)
            state.members = capabilities.serverMembers + capabilities.carriedMembers
            state.names = capabilities.names
            if case .member(let pointer) = capabilities.names { state.members.append(pointer) }
        }
    }

    func random(_ count: Int) -> Int {
        self.state.withLock { Int.random(in: 0..<count, using: &$0.generator) }
    }

    private func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[self.random(elements.count)]
    }

    private func notes(of device: Int) -> SyncCollection<JSON> {
        self.state.withLock { $0.devices[device][self.form.collection] }
    }

    // MARK: The network

    /// Makes the network of a device: some requests do not arrive, some answers are lost, and some never arrive since the device
    /// is killed before or after the request.
    func send(from device: Int, to server: @escaping Send) -> Send {
        { request in
            guard !self.state.withLock({ $0.isReliable }) else { return try await server(request) }
            try await self.interleave(with: device)
            let fault = self.random(10)
            if fault == 0 {
                self.state.withLock { $0.end.lostRequests += 1 }
                throw HTTPFailure(.unreachable, "The network is down.")
            }
            if fault == 2 { try await self.kill(device) }
            let answer = try await server(request)
            if fault == 1 {
                self.state.withLock { $0.end.lostAnswers += 1 }
                throw HTTPFailure(.brokenOff, "The answer was lost.")
            }
            if fault == 3 { try await self.kill(device) }
            return answer
        }
    }

    /// Ends a client as a kill does: its store has the committed data. Starts the next one.
    private func kill(_ device: Int) async throws(HTTPFailure) {
        let (client, start) = self.state.withLock { state in
            state.end.kills += 1
            return (state.devices[device], state.starts[device])
        }
        await client.close()
        do {
            let next = try start().0
            self.state.withLock { $0.devices[device] = next }
        } catch {
            fatalError("The store of a killed device can't be opened: \(error)")
        }
        throw HTTPFailure(.brokenOff, "The device was killed.")
    }

    private func interleave(with device: Int) async throws {
        guard self.form.interleaves, self.random(4) == 0 else { return }
        let begins = self.state.withLock { state in
            defer { state.isInterleaving = true }
            return !state.isInterleaving
        }
        guard begins else { return }
        defer { self.state.withLock { $0.isInterleaving = false } }
        if self.random(3) == 0 { try await self.edit(device) }
        try await self.edit(1 - device)
        try await self.sync(1 - device)
    }

    // MARK: Acts

    /// - Returns: Whether an edit was sent.
    @discardableResult
    func sync(_ device: Int) async throws -> Bool {
        self.clock.advance(by: .seconds(600))
        let notes = self.notes(of: device)
        let report: SyncReport
        do {
            report = try await notes.sync()
        } catch {
            guard error.code == .clientClosed else { throw error }
            return true  // the device was killed
        }
        for open in try await notes.conflicts {
            try await open.resolve([.clashes(.server), .clashes(.client), .takeServer, .takeClient][self.random(4)])
        }
        for held in try await notes.list() where held.hold != nil { try await notes[held.pk].retry() }
        return report.collections.contains { !$0.pushed.isEmpty }
    }

    func edit(_ device: Int) async throws {
        let notes = self.notes(of: device)
        var views: [(pk: String, content: JSON)] = []
        for view in try await notes.list() {
            if let content = try view.content { views.append((view.pk, content)) }
        }
        guard let (pk, content) = self.pick(views), self.random(4) > 0 else { return try await self.create(in: notes) }
        if self.random(8) == 0 {
            try await notes[pk].delete()
            return self.replace(content)
        }
        let leaves = self.own(leaves(of: content, intoArrays: false)).filter { $0.value.array == nil }
        switch self.random(6) {
        case 0 where self.form.removesMembers:
            guard let leaf = self.pick(leaves) else { return }
            try await self.set(leaf.path, to: nil, of: notes[pk], content)
        case 1 where self.form.addsMembers:
            let objects = [JSONPointer.root] + self.own(objects(of: content)).map(\.path)
            guard let object = self.pick(objects) else { return }
            let value: JSON = self.random(3) == 0 ? ["inner": self.value(like: "")] : self.value(like: "")
            try await self.set(object.appending("added\(self.random(3))"), to: value, of: notes[pk], content)
        case 2 where self.form.addsMembers:
            guard let leaf = self.pick(leaves) else { return }
            try await self.set(leaf.path, to: .null, of: notes[pk], content)
        default:
            guard let leaf = self.pick(leaves) else { return }
            try await self.set(leaf.path, to: self.value(like: leaf.value), of: notes[pk], content)
        }
    }

    private func create(in notes: SyncCollection<JSON>) async throws {
        guard var content = self.pick(self.form.samples) else { return }
        for leaf in leaves(of: content, intoArrays: false) where self.random(3) == 0 && leaf.value.array == nil {
            content[pointer: leaf.path] = self.value(like: leaf.value)
        }
        let isNamedByServer = self.state.withLock { $0.names == .server }
        let pk = isNamedByServer ? nil : self.pick(self.form.pks)
        if let pk, try await notes[pk].get() != nil { return }
        try await notes.create(content, pk: pk)
        self.write(content)
    }

    private func set(_ path: JSONPointer, to value: JSON?, of record: SyncRecord<JSON>, _ content: JSON) async throws {
        try await record.edit { $0[pointer: path] = value }
        if let former = content[pointer: path] { self.replace(former) }
        if let value { self.write(value) }
    }

    /// Makes a value that no other edit writes, of the same type.
    private func value(like former: JSON) -> JSON {
        let number = self.state.withLock { state in
            state.lastValue += 1
            return state.lastValue
        }
        if let bool = former.bool { return .bool(!bool) }
        guard let text = former.number?.text else { return .string("Value \(number) “é”") }
        let isWhole = text.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        return JSONNumber(isWhole ? "\(100_000 + number)" : "\(100_000 + number).50").map(JSON.number) ?? .null
    }

    private func own(_ places: [(path: JSONPointer, value: JSON)]) -> [(path: JSONPointer, value: JSON)] {
        let members = self.state.withLock { $0.members }
        return places.filter { place in !members.contains { $0.isPrefix(of: place.path) } }
    }

    private func write(_ value: JSON) {
        self.state.withLock { state in
            state.written += leaves(of: value, intoArrays: false).map(\.value).filter(isUnique)
        }
    }

    private func replace(_ value: JSON) {
        self.state.withLock { state in state.replaced.formUnion(leaves(of: value, intoArrays: true).map(\.value)) }
    }

    // MARK: The end

    /// Syncs over a reliable network until nothing is left to send.
    func becomeQuiet() async throws -> Bool {
        self.state.withLock { $0.isReliable = true }
        var quietRounds = 0
        for _ in 0..<20 where quietRounds < 2 {
            var isQuiet = true
            for device in [0, 1] { if try await self.sync(device) { isQuiet = false } }
            for device in [0, 1] where try await !self.notes(of: device).status.isInSync { isQuiet = false }
            quietRounds = isQuiet ? quietRounds + 1 : 0
        }
        return quietRounds == 2
    }

    func end(rows: [String: JSON], isQuiet: Bool) async throws -> Story.End {
        var end = self.state.withLock { $0.end }
        if !isQuiet {
            for device in [0, 1] {
                let report = try await self.notes(of: device).sync()
                end.differences.append("Device \(device) is never in sync: \(report)")
            }
        }
        var known = Set(rows.values.flatMap { leaves(of: $0, intoArrays: true).map(\.value) })
        for device in [0, 1] {
            let notes = self.notes(of: device)
            var views: [String: JSON] = [:]
            for view in try await notes.list() { views[view.pk] = try view.content }
            end.differences += self.differences(of: views, from: rows).map { "Device \(device): \($0)" }
            let journal = try await notes.journal
            end.journaled += journal.count
            for entry in journal {
                guard let value = try entry.lostValue else { continue }
                known.formUnion(leaves(of: value, intoArrays: true).map(\.value))
            }
        }
        let (written, replaced) = self.state.withLock { ($0.written, $0.replaced) }
        end.lost = written.filter { !replaced.contains($0) && !known.contains($0) }.map(\.text)
        return end
    }

    private func differences(of views: [String: JSON], from rows: [String: JSON]) -> [String] {
        // The pk of a record that the server names is the client's.
        guard self.state.withLock({ $0.names != .server }) else {
            let (mine, theirs) = (views.values.map(self.spelling).sorted(), rows.values.map(self.spelling).sorted())
            return mine == theirs ? [] : ["\(mine), the server \(theirs)"]
        }
        return Set(views.keys).union(rows.keys).sorted().compactMap { pk in
            let (mine, theirs) = (views[pk].map(self.spelling), rows[pk].map(self.spelling))
            return mine == theirs ? nil : "\(pk) is \(mine ?? "missing"), on the server \(theirs ?? "missing")"
        }
    }

    /// The record without the server's members, in a form that does not depend on the order of members.
    private func spelling(_ record: JSON) -> String {
        let empty = objects(of: record).filter { $0.value.object?.isEmpty == true }.map { ($0.path, $0.value) }
        return self.own(leaves(of: record, intoArrays: true) + empty).map { place in
            let number = self.form.comparesNumberText ? nil : place.value.number?.double.map { "\($0)" }
            return "\(place.path)=\(number ?? place.value.text)"
        }.sorted().joined(separator: " ")
    }
}

/// Whether only one edit writes the value: a made string or number.
private func isUnique(_ value: JSON) -> Bool {
    if let text = value.string { return text.hasPrefix("Value ") }
    return value.number?.text.hasPrefix("100") == true
}

/// The values of a record that are not objects, with their paths; arrays as a whole, or their elements.
private func leaves(of json: JSON, at path: JSONPointer = .root, intoArrays: Bool) -> [(path: JSONPointer, value: JSON)]
{
    if let object = json.object {
        return object.flatMap { leaves(of: $0.value, at: path.appending($0.key), intoArrays: intoArrays) }
    }
    if intoArrays, let array = json.array {
        return array.enumerated().flatMap { place, element in
            leaves(of: element, at: path.appending("\(place)"), intoArrays: true)
        }
    }
    return [(path, json)]
}

/// The objects below the top of a record.
private func objects(of json: JSON, at path: JSONPointer = .root) -> [(path: JSONPointer, value: JSON)] {
    (json.object ?? JSONObject()).flatMap { key, value in
        let below = path.appending(key)
        return value.object == nil ? [] : [(below, value)] + objects(of: value, at: below)
    }
}
