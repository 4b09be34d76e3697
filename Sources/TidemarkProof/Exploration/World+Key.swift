import TidemarkMachine

extension World {
    /// The identity of a world.
    ///
    /// Only the order of versions and the equality of request ids matter, so both are numbered from the start.
    /// Otherwise the number of worlds would be infinite.
    package struct Key: Hashable, Sendable {
        private var words = [UInt64](repeating: 0, count: 0)
        private var used = 64

        fileprivate var versions: [Int] = []
        fileprivate var requests: [String] = []

        fileprivate init() {
            self.words.reserveCapacity(8)
        }

        /// Two keys are equal when their bits are; the numbering is not part of it.
        package static func == (left: Key, right: Key) -> Bool { left.words == right.words }

        /// Hashes the bits.
        package func hash(into hasher: inout Hasher) {
            for word in self.words { hasher.combine(word) }
        }

        fileprivate mutating func put(_ value: Int, bits: Int) {
            precondition(value >= 0 && value < 1 << bits, "\(value) does not fit into \(bits) bits")
            if self.used + bits > 64 {
                self.words.append(0)
                self.used = 0
            }
            self.words[self.words.count - 1] |= UInt64(value) << UInt64(self.used)
            self.used += bits
        }
    }

    package var key: Key {
        var key = Key()
        key.versions = self.versions
        self.put(self.machine, &key)
        if let stored = self.stored {
            key.put(stored == self.machine ? 2 : 1, bits: 2)
            if stored != self.machine { self.put(stored, &key) }
        } else {
            key.put(0, bits: 2)
        }
        key.put(self.rank(self.cursor, key), bits: 4)
        key.put(self.isFull ? 1 : 0, bits: 1)
        key.put(self.isUnwanted ? 1 : 0, bits: 1)
        key.put(self.remaining, bits: 4)
        self.put(self.question, &key)
        self.put(self.flight, &key)
        key.put(self.ghosts.count, bits: 3)
        for ghost in self.ghosts { self.put(ghost, &key) }
        self.put(self.server.state, &key)
        key.put(self.rank(self.server.horizon, key), bits: 4)
        key.put(self.server.isOthers ? 1 : 0, bits: 1)
        key.put(self.tally, bits: 4)
        return key
    }
}

// MARK: - Versions

extension World {
    /// Every version in use, in order.
    private var versions: [Int] {
        var versions = [0]
        func add(_ version: Int) {
            guard let place = versions.firstIndex(where: { $0 >= version }) else { return versions.append(version) }
            if versions[place] != version { versions.insert(version, at: place) }
        }
        func add(_ version: String?) { if let version { add(Self.version(version)) } }
        func add(_ upload: Machine.Upload?) {
            guard let upload else { return }
            add(upload.version)
            if let answer = self.server.memory[upload.requestID] { add(Self.state(of: answer)?.version) }
        }
        func add(_ machine: Machine) {
            add(machine.confirmed.version)
            add(machine.seen?.version)
            add(machine.upload)
        }
        add(self.cursor)
        add(self.server.horizon)
        add(self.server.state.version)
        add(self.server.backup.version)
        add(self.machine)
        if let stored = self.stored, stored != self.machine { add(stored) }
        add(self.question?.server.version)
        for ghost in self.ghosts { add(ghost) }
        switch self.flight {
        case .none: break
        case .posting(let upload, let cursor, _):
            add(upload)
            add(cursor)
        case .getting(let cursor, _): add(cursor)
        case .answered(let reply):
            add(reply.result.flatMap(Self.state)?.version)
            add(reply.listed?.version)
            add(reply.cursor ?? 0)
        }
        return versions
    }

    private func rank(_ version: Int, _ key: Key) -> Int { key.versions.firstIndex(of: version) ?? 0 }
}

// MARK: - Parts

extension World {
    private func put(_ machine: Machine, _ key: inout Key) {
        key.put(Self.phases[machine.phase, default: 0], bits: 5)
        self.put(machine.confirmed, &key)
        self.put(machine.upload, &key)
        self.put(machine.edits, &key)
        self.put(machine.seen, &key)
        self.put(machine.base, &key)
        key.put(machine.rounds, bits: 3)
    }

    private static let phases = Dictionary(
        uniqueKeysWithValues: RecordPhase.allCases.enumerated().map { ($0.element, $0.offset) })

    private func put(_ state: Machine.ServerState?, _ key: inout Key) {
        switch state {
        case nil: key.put(0, bits: 2)
        case .nothing: key.put(1, bits: 2)
        case .tombstone(let version):
            key.put(2, bits: 2)
            key.put(self.rank(Self.version(version), key), bits: 4)
        case .row(let version, let content):
            key.put(3, bits: 2)
            key.put(self.rank(Self.version(version), key), bits: 4)
            self.put(content, &key)
        }
    }

    private func put(_ content: TinyContent?, _ key: inout Key) {
        guard let content else { return key.put(0, bits: 1) }
        key.put(1 | Int(content.a) << 1 | Int(content.b) << 4, bits: 7)
    }

    private func put(_ change: TinyChange?, _ key: inout Key) {
        guard let change else { return key.put(0, bits: 1) }
        let a = change.a.map { Int($0) + 1 } ?? 0
        let b = change.b.map { Int($0) + 1 } ?? 0
        key.put(1 | a << 1 | b << 5 | (change.isWhole ? 1 : 0) << 9, bits: 10)
    }

    /// Adds an upload and the answer that the server remembers for it.
    private func put(_ upload: Machine.Upload?, _ key: inout Key) {
        guard let upload else { return key.put(0, bits: 1) }
        key.put(1, bits: 1)
        self.put(requestID: upload.requestID, &key)
        let intent =
            switch upload.intent {
            case .create: 0
            case .edit: 1
            case .delete: 2
            }
        key.put(intent, bits: 2)
        key.put(self.rank(Self.version(upload.version), key), bits: 4)
        key.put(upload.wasResent ? 1 : 0, bits: 1)
        key.put(upload.recognition == .byContent ? 1 : 0, bits: 1)
        self.put(upload.change, &key)
        self.put(self.server.memory[upload.requestID], &key)
    }

    private func put(requestID: String, _ key: inout Key) {
        let index = key.requests.firstIndex(of: requestID) ?? key.requests.count
        if index == key.requests.count { key.requests.append(requestID) }
        key.put(index, bits: 4)
    }

    private func put(_ answer: Machine.Answer?, _ key: inout Key) {
        switch answer {
        case nil: key.put(0, bits: 3)
        case .accepted: key.put(1, bits: 3)
        case .conflicted: key.put(2, bits: 3)
        case .refused: key.put(3, bits: 3)
        case .refusedAsMissing: key.put(4, bits: 3)
        case .refusedUnread: key.put(5, bits: 3)
        }
        self.put(answer.flatMap(Self.state), &key)
    }

    private func put(_ conflict: Machine.Conflict?, _ key: inout Key) {
        guard let conflict else { return key.put(0, bits: 1) }
        key.put(1, bits: 1)
        key.put(ConflictKind.allCases.firstIndex(of: conflict.kind) ?? 0, bits: 2)
        self.put(conflict.base, &key)
        self.put(conflict.server, &key)
        self.put(conflict.client, &key)
    }

    private func put(_ flight: Flight, _ key: inout Key) {
        switch flight {
        case .none: key.put(0, bits: 2)
        case .posting(let upload, let cursor, let isFull):
            key.put(1, bits: 2)
            self.put(upload, &key)
            key.put(self.rank(cursor, key) << 1 | (isFull ? 1 : 0), bits: 5)
        case .getting(let cursor, let isFull):
            key.put(2, bits: 2)
            key.put(self.rank(cursor, key) << 1 | (isFull ? 1 : 0), bits: 5)
        case .answered(let reply):
            key.put(3, bits: 2)
            key.put(reply.requestID == nil ? 0 : 1, bits: 1)
            if let requestID = reply.requestID { self.put(requestID: requestID, &key) }
            self.put(reply.result, &key)
            self.put(reply.listed, &key)
            key.put(reply.cursor.map { self.rank($0, key) + 1 } ?? 0, bits: 5)
        }
    }
}

extension World: Explorable {}
