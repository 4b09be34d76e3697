import Tidemark
import TidemarkAdapters
import TidemarkTesting

/// `tidemark conform`: checks which rules of the protocol a running server keeps.
enum ConformCommand: Command {
    static let name = "conform"
    static let summary = "check a running server against the rules of the protocol"
    static let parameters: [Parameter] = [.required("URL")]
    static let options = [
        Self.token, Self.otherToken, GivenCertificates.option, GivenHeaders.option, Self.collection, Self.level,
        Self.restart, Self.backup,
        Self.restore,
        Self.timeLimit,
        Option(name: "--json", summary: "print one JSON object for each check"),
    ]
    static let example = "tidemark conform http://127.0.0.1:8080/v1"

    private static let token = Option(
        name: "--token", value: "T",
        summary: "the token of the account for the checks, which write records and delete them")

    private static let otherToken = Option(
        name: "--other-token", value: "T",
        summary: "the token of another account, to check that both are separate (W10)")

    private static let collection = Option(
        name: "--collection", value: "NAME",
        summary: "use only this existing collection; the pks of the checks have a prefix",
        isRepeated: true,
        kind: .collection)

    private static let level = Option(
        name: "--level", value: "minimal|full", summary: "the level of the server; default: as declared, else full"
    )

    private static let restart = Option(
        name: "--restart", value: "COMMAND",
        summary: "restart the server with this shell command three times, and check W4 and W8 after it")

    private static let backup = Option(
        name: "--backup", value: "COMMAND", summary: "back up the server with this shell command, for --restore")

    private static let restore = Option(
        name: "--restore", value: "COMMAND",
        summary: "restore the backup as an operator does, and check W8 after it; needs --backup")

    private static let timeLimit = Option(
        name: "--time-limit", value: "SPAN", summary: "how long all checks may take; default 10m")

    /// How many of its last requests are printed for a check that passed; all are for one that failed.
    private static let shownEvidence = 2

    /// The columns at which lines are wrapped.
    private static let columns = 120

    /// The largest answer, in bytes: the largest that a check requests has about 3 MB.
    private static let answerLimit = 8 << 20

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let limit = try input.span(Self.timeLimit) ?? RemoteConformance.usualLimit
        let (remote, subject) = try await Self.subject(input, try Self.options(input, console), within: limit)
        let prefix = "tidemark-conform-\(UInt64.random(in: .min ... .max))"
        var reports: [ConformanceReport] = []
        let trouble = try await RemoteConformance.examine(remote, of: subject, prefix: prefix, within: limit) {
            report in
            reports.append(report)
            if input.has(Option.json) {
                try console.print(bytes: report.line.bytes)
            } else {
                for line in report.lines(shown: Self.shownEvidence) { try console.print(line) }
            }
            try console.flush()
        }
        let kept = reports.count { $0.outcome == .kept }
        let made = reports.count { if case .skipped = $0.outcome { false } else { true } }
        console.say("not checked:")
        for line in ConformanceReport.unchecked(in: reports).flatMap(Self.indented) { console.say(line) }
        if subject.collections.isEmpty {
            console.say("empty collections remain, with names that begin with \(prefix): use an account for tests")
        }
        if let trouble { console.say("some records of the checks were not deleted: \(trouble)") }
        let broken = reports.filter(\.isBroken).map(\.check)
        if !broken.isEmpty { console.say("broken:") }
        for line in broken.flatMap(Self.indented) { console.say(line) }
        console.say("\(kept) of \(made) checks kept; the level of the server is “\(subject.level.rawValue)”.")
        return kept == made && trouble == nil ? .success : .failure
    }

    /// A line of a report, indented and wrapped.
    static func indented(_ line: String) -> [String] {
        line.wrapped(indent: 4, hanging: 4, columns: Self.columns)
    }

    /// The remote, and what the checks may use in addition to it.
    private static func subject(
        _ input: Arguments, _ options: HTTPRemote.Options, within limit: Duration
    ) async throws -> (CarriedRemote, ConformanceSubject) {
        let given = try Self.givenLevel(input)
        let carrier = try Self.carrier(input, options, token: input.value(Self.token))
        var subject = ConformanceSubject()
        subject.collections = input.all(Self.collection)
        let declared = try await Self.reach(
            CarriedRemote(carrier, level: .full), subject.collections.first, ConformanceTime(within: limit))
        subject.level = given ?? declared ?? .full
        let remote = CarriedRemote(carrier, level: subject.level)
        subject.http = remote
        if let token = input.value(Self.otherToken) {
            let stranger = CarriedRemote(try Self.carrier(input, options, token: token), level: subject.level)
            (subject.stranger, subject.strangerHTTP) = (stranger, stranger)
        }
        func command(_ option: Option) -> (@Sendable () async throws -> Void)? {
            guard let text = input.value(option) else { return nil }
            return { try await OperatorCommand.run(text, of: option, carrier) }
        }
        subject.restart = command(Self.restart)
        (subject.backup, subject.restore) = (command(Self.backup), command(Self.restore))
        guard (subject.backup == nil) == (subject.restore == nil) else {
            throw UsageError("--backup and --restore need each other", for: Self.self)
        }
        return (remote, subject)
    }

    private static func givenLevel(_ input: Arguments) throws(UsageError) -> ConformanceLevel? {
        guard let word = input.value(Self.level) else { return nil }
        guard let level = ConformanceLevel(rawValue: word) else {
            throw UsageError("--level is “\(word)”; it can be minimal or full", for: Self.self)
        }
        return level
    }

    private static func options(_ input: Arguments, _ console: Console) throws -> HTTPRemote.Options {
        var options = HTTPRemote.Options(answerLimit: Self.answerLimit)
        options.certificates = try input.value(GivenCertificates.option).map { path in
            try GivenCertificates.read(path, console, for: Self.self)
        }
        options.headers =
            try input.value(GivenHeaders.option).map { path in
                try GivenHeaders.read(path, console, for: Self.self)
            } ?? [:]
        return options
    }

    private static func carrier(
        _ input: Arguments, _ options: HTTPRemote.Options, token: String?
    ) throws -> ConformCarrier {
        do throws(TidemarkError) {
            return try ConformCarrier(url: input.position(0) ?? "", token: token, options: options)
        } catch {
            throw UsageError(error.message, for: Self.self)
        }
    }

    /// Returns the level that the server declares; nil if it declares none. Throws if the server can't be reached or speaks a
    /// newer version of the wire, which is a failure of the command and not of a rule.
    private static func reach(
        _ remote: CarriedRemote, _ collection: String?, _ time: ConformanceTime
    ) async throws -> ConformanceLevel? {
        let request = ExchangeRequest(collection: collection ?? "tidemark-conform", cursor: nil, limit: 1)
        do {
            _ = try await time.answer(to: request, of: remote)
            return try await remote.declaredLevel(time)
        } catch let failure as RemoteFailure {
            throw CommandFailure(failure.message)
        } catch {
            throw CommandFailure("\(error)")
        }
    }
}
