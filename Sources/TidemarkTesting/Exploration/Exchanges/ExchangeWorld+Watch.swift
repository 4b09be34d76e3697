import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// What has to hold of each step, and of each state (SPEC §7).

extension ExchangeWorld {
    /// Looks at what a step has led to, and takes in what is in the journal now.
    mutating func watch(_ passage: Passage, from before: ExchangeWorld) {
        let (records, former) = (self.records, before.records)
        self.noteJournal(since: before)
        self.violation =
            self.wrongUpload(records, before, passage) ?? Self.wrongData(records, before, passage)
            ?? self.wrongRequest(records, former, passage) ?? self.wrongErasure(records, former, passage)
            ?? self.wrongWatermark(records) ?? self.lostWords(records) ?? self.wrongSums ?? self.wrongQuiet
            ?? self.wrongLoss
    }

    private mutating func noteJournal(since before: ExchangeWorld) {
        let journal = self.store.collection(Self.collection).journal
        let known = before.store.collection(Self.collection).journal.count
        guard journal.count > known else { return }
        for entry in journal[known...] {
            let words = ExchangeWords.found(in: entry.value)
            self.mayLose.formUnion(words)
            self.pending.subtract(words)
            self.lostByServer.subtract(words)
        }
    }

    /// I5, R17: an upload stays as it is until it is settled, and only an answer or the app settles it.
    private func wrongUpload(
        _ records: [String: StoredRecord], _ before: ExchangeWorld, _ passage: Passage
    ) -> String? {
        // The first answer after a loss makes it one, and then rows show what was taken (R18).
        let isForgotten = before.setting("claimed-loss/\(Self.collection)") != nil
        for (pk, record) in before.records {
            guard let upload = record.upload else { continue }
            let present = records[pk]?.upload
            if present?.requestID == upload.requestID {
                guard present?.edit == upload.edit else {
                    return "I5: the upload of \(pk) changed before it was settled"
                }
                continue
            }
            let isAnswered = passage.answer?.results.contains { $0.requestID == upload.requestID } == true
            let isListed = passage.answer != nil && (upload.recognition == .byContent || isForgotten)
            let isGone = passage.answer != nil && record.phase.state == .deleted
            let isRefused = passage.failure?.failureClass == .refused
            guard isAnswered || isListed || isGone || isRefused || passage.touched == pk else {
                return "R17: what was sent of \(pk) is forgotten, and no one said what became of it"
            }
        }
        return nil
    }

    /// I4: what is confirmed is what the server sent.
    private static func wrongData(
        _ records: [String: StoredRecord], _ before: ExchangeWorld, _ passage: Passage
    ) -> String? {
        let former = before.records
        for (pk, record) in records where record.confirmed != former[pk]?.confirmed && record.confirmed.data != nil {
            guard record.confirmed != former[pk]?.seen else { continue }
            guard passage.answer?.shows(record.confirmed, of: pk) == true || before.keptAside[pk] == record.confirmed
            else {
                return "I4: \(pk) has data that the server did not send"
            }
        }
        return nil
    }

    /// The rows that the server sent, and that were to wait.
    var keptAside: [String: StoredVersion] {
        let rows = (try? JSON(parsing: self.setting("shown-instead/\(Self.collection)") ?? "[]"))?.array ?? []
        return Dictionary(
            uniqueKeysWithValues: rows.map { row in
                (
                    row[0]?.string ?? "",
                    StoredVersion(stamp: row[1]?.string, data: row[2]?.string.map { Array($0.utf8) })
                )
            })
    }

    /// R17, §3.5: what goes out was saved as it is, what is in doubt goes alone, and nothing that is held goes.
    private func wrongRequest(
        _ records: [String: StoredRecord], _ former: [String: StoredRecord], _ passage: Passage
    ) -> String? {
        guard let request = passage.sent else { return nil }
        for upload in request.uploads {
            let record = records[upload.pk]
            guard record?.upload?.edit == upload.frozen, record?.phase.activity == .uploading else {
                return "R17: an edit of \(upload.pk) is sent that was not saved before"
            }
            let isNews = passage.touched == upload.pk || passage.answer?.names(upload.pk) == true
            if former[upload.pk]?.phase.activity == .held, !isNews { return "§3.5: \(upload.pk) is held, and is sent" }
        }
        guard Set(request.uploads.map(\.pk)).count == request.uploads.count else {
            return "§3: a record is twice in one request"
        }
        let known = request.uploads.count { former[$0.pk]?.upload?.requestID == $0.requestID }
        guard known == 0 || known == request.uploads.count else { return "R17: what is sent again is not alone" }
        return nil
    }

    /// §6: nothing goes that the server has.
    private func wrongErasure(
        _ records: [String: StoredRecord], _ former: [String: StoredRecord], _ passage: Passage
    ) -> String? {
        guard let answer = passage.answer else { return nil }
        for pk in former.keys where records[pk] == nil && !answer.names(pk) {
            if self.server.history.rows[pk]?.data != nil { return "§6: \(pk) is dropped, and the server has it" }
        }
        return nil
    }

    /// I6: what a watermark has passed is here, or was seen.
    private func wrongWatermark(_ records: [String: StoredRecord]) -> String? {
        let state = self.state
        // A row that came ahead of the watermark is kept in mind: where the server has lost it, the end of the feed shows that.
        guard self.setting("shown-early/\(Self.collection)") == nil else { return nil }
        guard let watermark = state.watermark.flatMap({ ModelServer.Watermark($0) }),
            self.server.loss(of: watermark) == nil
        else { return nil }
        for (pk, row) in self.server.history.rows where row.version <= self.server.sure(watermark) {
            if !self.knows(row, of: pk) { return "I6: the watermark has passed \(pk), which was not taken in" }
        }
        guard !state.isListing else { return nil }
        for (pk, record) in records where record.phase == .synced && self.server.history.rows[pk] == nil {
            return "I3: \(pk) is in step, and the server has it not"
        }
        return nil
    }

    /// Whether a row was taken in, or kept aside.
    func knows(_ row: ModelServer.Row, of pk: String) -> Bool {
        let record = self.records[pk]
        return switch record?.phase {
        case nil: row.data == nil
        case .synced: record?.confirmed == row.stored
        // What is made again after its deletion was settled knows nothing of the tombstone, and meets it.
        case .some where row.data == nil && record?.confirmed == StoredVersion(): true
        case .some: [record?.confirmed, record?.seen].contains { $0.number >= row.version }
        }
    }

    /// I2: what was typed is in a change, in the journal, or was acknowledged.
    private func lostWords(_ records: [String: StoredRecord]) -> String? {
        guard !self.pending.isEmpty else { return nil }
        var there: Set<String> = []
        for record in records.values {
            there.formUnion(ExchangeWords.found(in: record.upload?.edit))
            there.formUnion(ExchangeWords.found(in: record.editedData))
        }
        let lost = self.pending.subtracting(there)
        return lost.isEmpty ? nil : "I2: \(lost.sorted()) was typed and is nowhere"
    }

    /// I9: nothing is counted twice.
    private var wrongSums: String? {
        for (pk, sum) in self.sums {
            let count = self.count(of: pk)
            if let count, count > sum { return "I9: the counter of \(pk) is \(count), and \(sum) was added" }
        }
        return nil
    }

    /// §6: a server is not said to have gone back that has not.
    private var wrongLoss: String? {
        guard !self.hasGoneBack, self.setting("went-back/\(Self.collection)") != nil else { return nil }
        return "§6: the server is taken to have gone back, and has not"
    }

    /// I3, I9: where all is quiet, both have the same, and everything was counted.
    private var wrongQuiet: String? {
        guard self.isQuiet else { return nil }
        let records = self.records
        for (pk, row) in self.server.history.rows where row.data != nil {
            guard let record = records[pk] else { return "I3: \(pk) is not here" }
            guard record.phase == .synced else { continue }
            guard record.confirmed == row.stored else { return "I3: \(pk) is not as the server has it" }
            if let sum = self.sums[pk], let count = self.count(of: pk), count != sum {
                return "I9: the counter of \(pk) is \(count), and \(sum) was added"
            }
        }
        for record in records.values where record.phase.activity == .held && record.hold == nil {
            return "I3: \(record.pk) is held without a reason"
        }
        guard self.lostByServer.isEmpty else {
            return "I1: the server has lost \(self.lostByServer.sorted()), and nobody was told"
        }
        return nil
    }

    /// What the counter of a record comes to on the server; nil where it is not there.
    private func count(of pk: String) -> Int? {
        guard let data = self.server.history.rows[pk]?.data else { return nil }
        let digits = data.reversed().dropFirst().prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return Int(String(decoding: digits.reversed(), as: UTF8.self))
    }
}

extension StoredVersion? {
    /// The version as the server counts it; 0 where there is none.
    fileprivate var number: Int { self?.stamp.flatMap { Int($0) } ?? 0 }
}

extension ExchangeAnswer {
    /// Whether a row or a result shows a version of a record.
    fileprivate func shows(_ version: StoredVersion, of pk: String) -> Bool {
        let isShown = self.results.contains {
            switch $0.outcome {
            case .accepted(let shown), .conflicted(let shown): shown == version
            case .refused, .unknown: false
            }
        }
        return isShown || self.page.rows.contains { self.page.pk(of: $0) == pk && self.page.version(of: $0) == version }
    }

    /// Whether it says anything of a record.
    fileprivate func names(_ pk: String) -> Bool {
        !self.results.isEmpty || self.page.rows.contains { self.page.pk(of: $0) == pk }
    }
}
