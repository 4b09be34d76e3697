import TidemarkCore
import TidemarkMachine

/// One run of checks over a server in use.
final class ConformanceRun {
    /// The number of records that one request of the clean-up deletes.
    private static let tidiedAtOnce = 50

    /// The most pages of an existing collection, and the rows of one.
    private static let existing = (pages: 2_000, rows: 500)

    private let remote: any Remote
    private let recorder: ConformanceRecorder
    private let stranger: ConformanceRecorder?
    private let subject: ConformanceSubject
    private let prefix: String
    private let time: ConformanceTime

    /// The ends of a given collection before the first check, and before the present one.
    private struct Ends {
        var first: String
        var last: String
    }

    private var ends: [String: Ends] = [:]
    private var endsOfStranger: [String: Ends] = [:]

    init(_ remote: some Remote, of subject: ConformanceSubject, prefix: String, time: ConformanceTime) {
        self.remote = remote
        self.recorder = ConformanceRecorder(remote)
        self.stranger = subject.stranger.map { ConformanceRecorder($0) }
        var subject = subject
        subject.stranger = self.stranger
        self.subject = subject
        self.prefix = prefix
        self.time = time
    }

    /// Runs checks, each in a separate place, and deletes their records.
    ///
    /// - Returns: Why a record could not be deleted; nil if all were.
    func examine(
        _ checks: [RemoteConformance.Check], told: (ConformanceReport) async throws -> Void
    ) async throws -> String? {
        do {
            for (number, check) in checks.enumerated() {
                try await told(await self.report(of: check, number: number + 1))
            }
        } catch {
            _ = await self.tidy()
            throw error
        }
        return await self.tidy()
    }

    private func report(of check: RemoteConformance.Check, number: Int) async -> ConformanceReport {
        if let why = check.absence(in: self.subject, of: self.remote.capabilities) {
            return ConformanceReport(check: check.name, rules: check.rules, outcome: .skipped(why), evidence: [])
        }
        let outcome = await self.outcome(of: check, number: number)
        let evidence = self.recorder.takeLines() + (self.stranger?.takeLines() ?? []).map { "the other account: \($0)" }
        var report = ConformanceReport(check: check.name, rules: check.rules, outcome: outcome, evidence: evidence)
        let carriers = [self.remote as? CarriedRemote, self.subject.strangerHTTP as? CarriedRemote].compactMap(\.self)
        let exchanges = carriers.flatMap { $0.takeLast() }
        if case .broken = outcome { report.exchanges = exchanges }
        return report
    }

    private func outcome(of check: RemoteConformance.Check, number: Int) async -> ConformanceReport.Outcome {
        do {
            let (place, subject) = try await self.place(number)
            try await check.runOrSkip(on: self.recorder, in: place, of: subject, time: self.time)
            return .kept
        } catch let skip as ConformanceSkip {
            return .skipped(skip.why)
        } catch let end as ConformanceTimeUp {
            return .unchecked(end.description)
        } catch let failure as RemoteFailure {
            switch failure.failureClass {
            case .offline, .busy, .auth, .portal, .cancelled, .identityChanged: return .unchecked(failure.message)
            case .refused, .invalidAnswer, .notFound, .historyLost: return .broken(failure.message)
            }
        } catch {
            return .broken("\(error)")
        }
    }

    /// The place of a check, and the subject with its other places.
    private func place(_ number: Int) async throws -> (ConformancePlace, ConformanceSubject) {
        let given = self.subject.collections
        guard !given.isEmpty else { return (ConformancePlace("\(self.prefix)-\(number)"), self.subject) }
        let (name, other) = (given[number % given.count], given[(number + 1) % given.count])
        let prefix = "\(self.prefix)-\(number)-"
        var subject = self.subject
        subject.otherPlace = ConformancePlace(
            other, prefix: prefix, start: try await self.end(of: other, in: \.ends, self.recorder))
        if let stranger = self.stranger {
            subject.strangerPlace = ConformancePlace(
                name, prefix: prefix, start: try await self.end(of: name, in: \.endsOfStranger, stranger))
        }
        let start = try await self.end(of: name, in: \.ends, self.recorder)
        return (ConformancePlace(name, prefix: prefix, start: start), subject)
    }

    /// Reads a given collection to its present end; nil if the server returns all records each time.
    private func end(
        of collection: String, in ends: ReferenceWritableKeyPath<ConformanceRun, [String: Ends]>,
        _ remote: ConformanceRecorder
    ) async throws -> String? {
        guard remote.capabilities.feed != .listing else { return nil }
        var cursor = self[keyPath: ends][collection]?.last
        for _ in 1...Self.existing.pages {
            let request = ExchangeRequest(collection: collection, cursor: cursor, limit: Self.existing.rows)
            let answer = try await self.time.answer(to: request, of: remote)
            cursor = answer.cursor
            guard answer.hasMore else {
                self[keyPath: ends][collection, default: Ends(first: answer.cursor, last: "")].last = answer.cursor
                return answer.cursor
            }
        }
        throw ConformanceFailure(
            "the collection “\(collection)”", expected: "at most \(Self.existing.pages) pages",
            found: "more. Use an account with fewer records.")
    }

    /// Deletes the records of the checks.
    private func tidy() async -> String? {
        var trouble: String?
        for recorder in [self.recorder, self.stranger].compactMap(\.self) {
            for collection in recorder.collections {
                do {
                    try await self.empty(collection, of: recorder)
                } catch {
                    trouble = trouble ?? "\(collection): \(error)"
                }
            }
        }
        return trouble
    }

    private func empty(_ collection: String, of recorder: ConformanceRecorder) async throws {
        let isGiven = !self.subject.collections.isEmpty
        let place = ConformancePlace(
            collection, prefix: isGiven ? "\(self.prefix)-" : "",
            start: (recorder === self.recorder ? self.ends : self.endsOfStranger)[collection]?.first)
        let probe = RemoteProbe(recorder, in: place, of: self.subject, time: self.tidying)
        var rows = try await probe.rows().filter { $0.version.data != nil }[...]
        while !rows.isEmpty {
            let some = rows.prefix(Self.tidiedAtOnce)
            rows = rows.dropFirst(some.count)
            _ = try await probe.post(
                some.map { probe.told(RemoteProbe.delete($0.pk, $0.version, id: "tidy \($0.pk)"), as: $0.name) })
        }
        let left = try await probe.rows().filter { $0.version.data != nil }.count
        try expect("the remaining records", left, is: 0)
    }

    private lazy var tidying = self.time.forTidying
}
