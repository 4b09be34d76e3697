public import TidemarkCore
public import TidemarkHTTPClient
import TidemarkJSON
import TidemarkMachine

extension RemoteFailure {
    /// The failure that an answer means by its status (Contract §3.5); nil for 304, and for 2xx unless the body is a web page: then
    /// a captive portal answered, and not the server. So call it for the answer to each read and to each write.
    ///
    /// ```swift
    /// let http = try HTTPClient(url: "https://shop.example/api")
    /// let answer = try await http.send(HTTPRequest("GET", "/notes"))
    /// if let failure = RemoteFailure(answer) { throw failure }
    /// ```
    public init?(_ answer: HTTPAnswer) {
        let failureClass: FailureClass
        switch answer.meaning {
        case .done, .unchanged: return nil
        case .unauthorized: failureClass = .auth
        case .portal: failureClass = .portal
        case .busy: failureClass = .busy
        case .moved, .unsupported, .unknown: failureClass = .invalidAnswer
        case .refused: failureClass = answer.status == 404 ? .notFound : answer.status == 410 ? .historyLost : .refused
        }
        let reason = answer.reason.map { ": \($0)" } ?? ""
        self.init(
            failureClass, "The server answered with status \(answer.status)\(reason).",
            retryAfter: answer.retryAfter.map { wait in
                switch wait {
                case .delay(let delay): .delay(delay)
                case .time(let time): .time(time)
                }
            },
            blame: [404, 405, 501, 505].contains(answer.status) ? .server : answer.status == 403 ? .sender : .unknown)
    }
}

extension HTTPAnswer {
    /// The reason in a JSON body, in the members that servers use for it, cut after `ProblemDetails.textSize`; nil if there is
    /// none.
    package var reason: String? {
        guard !self.isWebPage, let json = try? JSON(parsing: self.body) else { return nil }
        for member in ["detail", "title", "message", "reason", "error"] {
            if let text = json[member]?.string, !text.isEmpty { return text.cut(after: ProblemDetails.textSize) }
        }
        return nil
    }
}
