import Tidemark
import TidemarkAdapters
import TidemarkTesting

/// `tidemark conform`: checks which rules of the protocol a running server keeps.
enum ConformCommand: Command {
    static let name = "conform"
    static let summary = "check a running server against the rules of the protocol"
    static let parameters: [Parameter] = [.required("URL")]
    static let options = [
        Self.token, Self.timeLimit, Option(name: "--json", summary: "print one JSON object for each check"),
    ]
    static let example = "tidemark conform http://127.0.0.1:8080/v1"

    private static let token = Option(
        name: "--token", value: "T",
        summary: "the token of the account for the checks, which write records and delete them")

    private static let timeLimit = Option(
        name: "--time-limit", value: "SPAN", summary: "how long all checks may take; default 10m")

    /// How many of its last requests are printed for a check that passed; all are for one that failed.
    private static let shownEvidence = 2

    /// The largest answer, in bytes: the largest that a check requests has about 3 MB.
    private static let answerLimit = 8 << 20

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let remote = try Self.remote(input)
        let limit = try input.span(Self.timeLimit) ?? RemoteConformance.usualLimit
        try await Self.reach(remote, ConformanceTime(within: limit))
        let prefix = "tidemark-conform-\(UInt64.random(in: .min ... .max))"
        var kept = 0
        var total = 0
        let trouble = try await RemoteConformance.examine(remote, prefix: prefix, within: limit) { report in
            if case .skipped = report.outcome {} else { total += 1 }
            kept += report.outcome == .kept ? 1 : 0
            if input.has(Option.json) {
                try console.print(bytes: report.line.bytes)
            } else {
                for line in report.lines(shown: Self.shownEvidence) { try console.print(line) }
            }
            try console.flush()
        }
        console.say(
            """
            \(kept) of \(total) checks kept. W10, and rules that need a restart, a purge or two accounts, can't be checked by \
            one client.
            """)
        if let trouble { console.say("some records of the checks were not deleted: \(trouble)") }
        return kept == total ? .success : .failure
    }

    private static func remote(_ input: Arguments) throws -> HTTPRemote {
        do throws(TidemarkError) {
            return try HTTPRemote(
                url: try Self.url(input), token: input.value(Self.token),
                options: HTTPRemote.Options(answerLimit: Self.answerLimit))
        } catch {
            throw UsageError(error.message, for: Self.self)
        }
    }

    private static func url(_ input: Arguments) throws(TidemarkError) -> String {
        input.position(0) ?? ""
    }

    /// Throws if the server can't be reached, which is a failure of the command and not of a rule.
    private static func reach(_ remote: HTTPRemote, _ time: ConformanceTime) async throws {
        let request = ExchangeRequest(collection: "tidemark-conform", cursor: nil, limit: 1)
        do {
            _ = try await time.answer(to: request, of: remote)
        } catch let failure as RemoteFailure {
            throw CommandFailure(failure.message)
        } catch {
            throw CommandFailure("\(error)")
        }
    }
}

extension ConformanceReport {
    /// `{"check","rules":[…],"outcome":"kept|broken|skipped|unchecked","why","evidence":[…]}`
    fileprivate var line: JSONLine {
        var line = JSONLine()
        line.add("check", self.check)
        line.add("rules", self.rules)
        line.add("outcome", self.word)
        line.add("why", self.why)
        line.add("evidence", self.evidence)
        return line
    }

    /// The lines for the user: the check, why it failed, and its requests.
    fileprivate func lines(shown: Int) -> [String] {
        let isKept = self.why == nil
        let shown = isKept ? Array(self.evidence.suffix(shown)) : self.evidence
        let hidden = self.evidence.count - shown.count
        let why = self.why.map { ["    \($0)"] } ?? []
        let before = hidden > 0 ? ["    (\(hidden) requests before)"] : []
        return ["\(isKept ? self.word : self.word.uppercased()): \(self.check)"] + why + before
            + shown.map { "    \($0)" }
    }

    private var word: String {
        switch self.outcome {
        case .kept: "kept"
        case .broken: "broken"
        case .skipped: "skipped"
        case .unchecked: "unchecked"
        }
    }

    private var why: String? {
        switch self.outcome {
        case .kept: nil
        case .broken(let why), .skipped(let why), .unchecked(let why): why
        }
    }
}
