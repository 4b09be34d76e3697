import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// Requests, and what becomes of them.

extension ExchangeWorld {
    private typealias Outcome = Result<ExchangeAnswer, RemoteFailure>

    /// The request arrives, and its answer.
    mutating func answer(_ passage: inout Passage) throws(TidemarkError) {
        guard let sent else { return }
        try self.hear(self.serve(sent.request), &passage)
    }

    /// The request, or its answer, fails.
    mutating func fail(
        _ fate: Move.Fate, _ passage: inout Passage, listening: (ExchangeWorld) -> Void
    ) throws(TidemarkError) {
        guard let request = self.sent?.request else { return }
        switch fate {
        case .lost: try self.hear(Self.silence, &passage)
        case .late:
            self.late = request
            try self.hear(Self.silence, &passage)
        case .answerLost:
            _ = self.serve(request)
            try self.hear(Self.silence, &passage)
        case .busy: try self.hear(Self.failure(.busy), &passage)
        case .busyAfter:
            _ = self.serve(request)
            try self.hear(Self.failure(.busy), &passage)
        case .unauthorised: try self.hear(Self.failure(.auth), &passage)
        case .portal: try self.hear(Self.failure(.portal), &passage)
        case .cancelled:
            if !request.uploads.isEmpty { self.late = request }
            try self.hear(Self.failure(.cancelled), &passage)
        case .garbage:
            _ = self.serve(request)
            try self.hear(Self.failure(.protocol), &passage)
        case .tooMuch:
            _ = self.serve(request)
            try self.hear(Self.failure(.protocol, blame: .answerSize), &passage)
        case .tooLarge: try self.hear(Self.failure(.refused), &passage)
        case .forbidden: try self.hear(Self.failure(.refused, blame: .sender), &passage)
        case .elsewhere:
            let answer = ExchangeAnswer(watermark: "1.0.0", epoch: "another", account: "another")
            try self.hear(.success(answer), &passage)
        case .inPart, .notKnown, .unanswered, .resting, .standsStill:
            try self.hear(self.marred(request, fate), &passage)
        case .storeFails: try self.hearInVain(self.serve(request), &passage)
        case .killed:
            if !request.uploads.isEmpty { self.late = request }
            try self.restart()
            listening(self)
        }
    }

    /// An answer that comes, and is not as it should be.
    private mutating func marred(_ request: ExchangeRequest, _ fate: Move.Fate) -> Outcome {
        var part = request
        if fate == .inPart { part.uploads.removeLast(part.uploads.count - 1) }
        return self.serve(part, fate).map { answer in
            var answer = answer
            switch fate {
            case .inPart: answer.failure = RemoteFailure(.offline, "The answer broke off.")
            case .unanswered:
                if !answer.results.isEmpty { answer.results.removeLast() }
            case .resting: answer.wait = .seconds(60)
            case .standsStill: (answer.watermark, answer.hasMore) = (request.watermark ?? "", true)
            case _: break
            }
            return answer
        }
    }

    private static func failure(_ failureClass: FailureClass, blame: FailureBlame = .unknown) -> Outcome {
        .failure(RemoteFailure(failureClass, "\(failureClass)", blame: blame))
    }

    private static let silence = Outcome.failure(RemoteFailure(.offline, "No answer came."))

    // MARK: The server

    /// The server takes a request, and answers.
    ///
    /// - Parameter fate: Of an answer that says that it does not know what became of an edit: the page brings its row.
    mutating func serve(
        _ request: ExchangeRequest, _ fate: Move.Fate? = nil
    ) -> Result<ExchangeAnswer, RemoteFailure> {
        if request.uploads.contains(where: { $0.frozen.contains(UInt8(ascii: "!")) }) {
            switch self.setting.poison {
            case .tooLarge, .unprocessable: return Self.failure(.refused)
            case .breaks: return Self.failure(.busy)
            }
        }
        let watermark = request.watermark.flatMap { ModelServer.Watermark($0) }
        if let watermark, let loss = self.server.loss(of: watermark) {
            return .failure(RemoteFailure(.historyLost, "The history is lost.", serverWentBack: loss == .wentBack))
        }
        let before = self.server
        var results = self.server.take(request.uploads) { $0.frozen.contains(UInt8(ascii: "?")) }
        self.check(request.uploads, before)
        if fate == .notKnown, !results.isEmpty { results[0].outcome = .unknown }
        let page = self.server.page(after: watermark, limit: request.limit, besides: results)
        let items = page.items.map { item in
            FeedPage.Item(
                pk: "\"\(item.pk)\"", stamp: String(item.row.version),
                data: item.row.data.map { String(decoding: $0, as: UTF8.self) })
        }
        return .success(
            ExchangeAnswer(
                results: results, page: FeedPage(items), watermark: page.watermark.text, hasMore: page.hasMore,
                epoch: "epoch-\(self.server.epoch)", account: Self.account))
    }

    /// I5 and I1, as the server sees them.
    private mutating func check(_ uploads: [UploadRequest], _ before: ModelServer) {
        for upload in uploads {
            if let known = before.history.answers[upload.requestID], known.frozen != upload.frozen {
                self.violation = "I5: an edit of \(upload.pk) comes again with other bytes"
            }
            let (former, row) = (before.history.rows[upload.pk], self.server.history.rows[upload.pk])
            guard former != row else { continue }
            let gone = ExchangeWords.found(in: former?.data).subtracting(ExchangeWords.found(in: row?.data))
            let lost = gone.subtracting(self.mayLose)
            if !lost.isEmpty {
                self.violation = "I1: \(lost.sorted()) in \(upload.pk) is overwritten, and nobody was told"
            }
        }
        let acknowledged = self.serverWords
        self.pending.subtract(acknowledged)
        self.lostByServer.subtract(acknowledged)
    }

    // MARK: The device

    /// The device hears an answer, or that none came.
    private mutating func hear(_ outcome: Outcome, _ passage: inout Passage) throws(TidemarkError) {
        guard let token = self.sent?.token else { return }
        let now = self.now
        self.sent = nil
        switch outcome {
        case .failure(let failure):
            passage.failure = failure
            try self.input(&passage) { (engine) throws(TidemarkError) in
                try engine.fail(failure, for: token, now: now)
            }
        case .success(let answer):
            passage.answer = answer
            try self.input(&passage) { (engine) throws(TidemarkError) in
                try engine.receive(answer, for: token, now: now)
            }
        }
    }

    /// The store fails as it takes an answer in: nothing of it stays.
    private mutating func hearInVain(_ outcome: Outcome, _ passage: inout Passage) throws(TidemarkError) {
        let full = TidemarkError(.storeFull, "The disk is full.")
        self.store.failNextWrite(with: full)
        do throws(TidemarkError) {
            try self.hear(outcome, &passage)
        } catch {
            guard error.code == full.code else { throw error }
            (passage.answer, passage.failure) = (nil, nil)
        }
    }
}
