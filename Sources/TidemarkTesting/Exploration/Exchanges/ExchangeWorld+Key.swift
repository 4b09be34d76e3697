import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

extension ExchangeWorld {
    /// What tells two worlds apart.
    ///
    /// Versions and turns count only by their order, and request ids only by what they are equal to, so all are numbered anew;
    /// times count only as far as they are over. Without that there would be no end of worlds. What is not in it has no say
    /// in what comes next: the journal, the words of a failure or of a hold, and how a merge came about.
    public struct Key: Hashable, Sendable {
        private let bytes: [UInt8]

        fileprivate init(_ writer: Writer) { self.bytes = writer.finished }
    }

    /// What tells this world apart.
    public var key: Key {
        var writer = Writer()
        self.putDevice(&writer)
        self.put(self.sent?.request, &writer)
        self.put(self.late, &writer)
        self.putServer(&writer)
        writer.put([self.edits, self.writes, self.faults, self.hasGoneBack ? 1 : 0])
        for pk in self.setting.pks {
            writer.put([self.typed[pk, default: 0], self.othersTyped[pk, default: 0], self.sums[pk, default: 0]])
        }
        writer.put(self.pending)
        writer.put(self.mayLose)
        writer.put(self.lostByServer)
        return Key(writer)
    }

    // MARK: The device

    private func putDevice(_ writer: inout Writer) {
        let state = self.state
        for pk in self.setting.pks {
            guard let record = self.records[pk] else {
                writer.put(0)
                continue
            }
            writer.put(1 + Self.phases[record.phase, default: 0])
            self.put(record.confirmed, &writer)
            self.put(record.seen, &writer)
            if let upload = record.upload { self.put(upload, of: pk, &writer) } else { writer.put(0) }
            writer.put(record.editedData)
            writer.put([record.rounds, record.failures, record.hold == nil ? 0 : 1])
            writer.put(order: Int(record.sequence))
            if state.isListing { writer.put(record.listing == state.listing ? 1 : 0) }
        }
        self.put(watermark: state.watermark, &writer)
        writer.put(state.isListing ? 1 : 0)
        writer.put(self.setting("account") == nil ? 0 : 1)
        writer.put(Array((self.setting("epoch/\(Self.collection)") ?? "").utf8))
        writer.put(self.setting("went-back/\(Self.collection)") == nil ? 0 : 1)
        self.put(watermark: self.setting("claimed-loss/\(Self.collection)"), &writer)
        writer.put(Array((self.setting("shown-early/\(Self.collection)") ?? "").utf8))
        let aside = self.keptAside
        for pk in self.setting.pks where !aside.isEmpty { self.put(aside[pk], &writer) }
        self.putShape(&writer)
    }

    func setting(_ key: String) -> String? { self.store.contents.settings[CodePointString(key)] }

    private func putShape(_ writer: inout Writer) {
        let (shape, exchange) = (self.shape, self.shape.exchange)
        writer.put(ExchangePhase.allCases.firstIndex(of: exchange.phase) ?? 0)
        writer.put(exchange.numbers)
        for flag in exchange.flags { writer.put(flag ? 1 : 0) }
        for name in exchange.names { writer.put(name.map { Array($0.value.utf8) }) }
        for watermark in exchange.ahead { self.put(watermark: watermark?.value, &writer) }
        writer.put(exchange.posted.count)
        for posted in exchange.posted { writer.put(id: posted.requestID) }
        for counts in [exchange.postponed, exchange.contended] {
            for pk in self.setting.pks { writer.put(counts[CodePointString(pk), default: 0]) }
        }
        writer.put(shape.isSyncing ? 1 : 0)
        writer.put(shape.maySyncAfterWentBack ? 1 : 0)
        writer.put(shape.until == nil ? 0 : 1)
        writer.put(shape.restsUntil.map { $0 > self.now } == true ? 1 : 0)
    }

    private static let phases = Dictionary(
        uniqueKeysWithValues: RecordPhase.allCases.enumerated().map { ($0.element, $0.offset) })

    private func put(_ version: StoredVersion?, _ writer: inout Writer) {
        guard let version else { return writer.put(0) }
        writer.put(1)
        writer.put(version: version.stamp.flatMap { Int($0) } ?? 0)
        writer.put(version.data)
    }

    private func put(_ upload: StoredUpload, of pk: String, _ writer: inout Writer) {
        writer.put(1)
        writer.put(id: upload.requestID)
        writer.put(edit: upload.edit)
        writer.put([upload.wasResent ? 1 : 0, upload.recognition == .byAnswer ? 0 : 1])
        self.putAnswer(to: upload.requestID, &writer)
    }

    /// What the server answered to an edit, if it did.
    private func putAnswer(to id: String, _ writer: inout Writer) {
        switch self.server.history.answers[id]?.outcome {
        case nil: writer.put(0)
        case .accepted(let version):
            writer.put(1)
            self.put(version, &writer)
        case .conflicted(let version):
            writer.put(2)
            self.put(version, &writer)
        case .refused: writer.put(3)
        case .unknown: writer.put(4)
        }
    }

    // MARK: What is under way

    private func put(_ request: ExchangeRequest?, _ writer: inout Writer) {
        guard let request else { return writer.put(0) }
        writer.put(1 + request.uploads.count)
        for upload in request.uploads {
            writer.put(id: upload.requestID)
            writer.put(edit: upload.frozen)
            self.putAnswer(to: upload.requestID, &writer)
        }
        self.put(watermark: request.watermark, &writer)
        writer.put(request.limit)
    }

    /// A watermark by what the server makes of it.
    private func put(watermark text: String?, _ writer: inout Writer) {
        guard let text else { return writer.put(0) }
        guard let watermark = ModelServer.Watermark(text) else { return writer.put(1) }
        writer.put(2)
        writer.put(version: watermark.position)
        writer.put(version: watermark.newest)
        writer.put(watermark.hasMore ? 1 : 0)
        let loss = self.server.loss(of: watermark)
        writer.put(loss == nil ? 0 : loss == .horizon ? 1 : 2)
        writer.put(watermark.purges == self.server.history.purges ? 1 : 0)
        writer.put(text == self.server.end.text ? 1 : 0)
    }

    private func putServer(_ writer: inout Writer) {
        self.put(self.server.history, &writer)
        writer.put(self.server.epoch)
        self.putBegun(&writer)
        if self.faults > 0, self.setting.turns.contains(.goBack) { self.put(self.server.backup, &writer) }
    }

    private func putBegun(_ writer: inout Writer) {
        guard let begun = self.server.begun else { return writer.put(0) }
        writer.put(1 + (self.setting.pks.firstIndex(of: begun.pk) ?? 0))
        self.put(begun.row.stored, &writer)
        writer.put([begun.base == self.server.history.rows[begun.pk] ? 1 : 0, begun.isAddition ? 1 : 0])
        writer.put(self.server.history.last - begun.row.version)
    }

    private func put(_ history: ModelServer.History, _ writer: inout Writer) {
        for pk in self.setting.pks { self.put(history.rows[pk]?.stored, &writer) }
        writer.put(version: history.last)
        writer.put(version: history.horizon)
    }

    // MARK: Writing

    /// Writes a key, and numbers what counts only by its order.
    fileprivate struct Writer {
        private var bytes: [UInt8] = []
        private var versions: [(place: Int, value: Int)] = []
        private var turns: [(place: Int, value: Int)] = []
        private var ids: [String] = []

        init() { self.bytes.reserveCapacity(256) }

        mutating func put(_ value: Int) { self.bytes.append(UInt8(clamping: value)) }

        mutating func put(_ values: [Int]) { for value in values { self.put(value) } }

        mutating func put(_ text: [UInt8]?) {
            guard let text else { return self.put(0) }
            self.put(1 + text.count)
            self.bytes += text
        }

        mutating func put(_ words: Set<String>) {
            self.put(words.count)
            for word in words.sorted() { self.put(Array(word.utf8)) }
        }

        mutating func put(version: Int) {
            self.versions.append((self.bytes.count, version))
            self.bytes.append(0)
        }

        mutating func put(order: Int) {
            self.turns.append((self.bytes.count, order))
            self.bytes.append(0)
        }

        mutating func put(id: String) {
            let place = self.ids.firstIndex(of: id) ?? self.ids.count
            if place == self.ids.count { self.ids.append(id) }
            self.put(place)
        }

        /// The bytes of an EDIT, without the name that is in them, and with the version by its order.
        mutating func put(edit: [UInt8]) {
            let edit = edit.dropFirst(Self.edit.count + Self.idLength)
            let digits = Self.range(of: Self.version, in: edit).map { start in
                (start, edit[start...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            }
            guard let (start, text) = digits else { return self.put(Array(edit)) }
            self.put(Array(edit[..<start]))
            self.put(version: Int(String(decoding: text, as: UTF8.self)) ?? 0)
            self.put(Array(edit[text.endIndex...]))
        }

        private static let edit = Array(#"{"request_id":""#.utf8)
        private static let idLength = 36
        private static let version = Array(#""updated_at":"#.utf8)

        private static func range(of pattern: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
            var place = text.startIndex
            while place + pattern.count <= text.endIndex {
                if text[place] == pattern[0], text[place...].starts(with: pattern) { return place + pattern.count }
                place += 1
            }
            return nil
        }

        var finished: [UInt8] {
            var bytes = self.bytes
            for numbers in [self.versions, self.turns] {
                let order = Set(numbers.map(\.value)).sorted()
                for (place, value) in numbers {
                    bytes[place] = UInt8(clamping: order.firstIndex(of: value) ?? 0)
                }
            }
            return bytes
        }
    }
}
