import TidemarkCore
import TidemarkHTTPFields
import TidemarkJSON
import TidemarkMachine

extension HTTPReply {
    /// Whether a status is a judgment about the request, and not about the load of the server or the credentials.
    static func judges(_ status: Int) -> Bool {
        switch status {
        case 401, 407, 408, 425, 429, 500...599: false
        default: true
        }
    }

    /// The failure for a status other than 200 (Contract §3.5).
    var failure: RemoteFailure {
        let problem = self.isWebPage ? nil : ProblemDetails(bytes: self.body, status: self.status)
        let failureClass = self.failureClass
        if failureClass == .historyLost, problem == nil, self.mediaType.isProblem { return self.brokenOff }
        var failure = self.failure(
            failureClass, Self.sentence(self.status, self.reason(problem)) + self.advice(failureClass),
            problem: problem, blame: Self.blame(self.status))
        failure.serverRolledBack =
            failureClass == .historyLost && problem?.document["code"]?.string == Self.serverRolledBackCode
        failure.account = problem?.document["account"]?.string
        return failure
    }

    /// A truncated problem document does not show whose history was lost nor how, and whether the server was rolled back
    /// decides which data of the records is kept (Contract §6).
    private var brokenOff: RemoteFailure {
        self.failure(
            .offline, "The server's refusal (status \(self.status)) was incomplete. The request is repeated.")
    }

    /// The code of a 410 that is not about the horizon (W8): the server has lost acknowledged data.
    private static let serverRolledBackCode = "server-rolled-back"

    private var failureClass: FailureClass {
        switch self.status {
        case 401, 407: .auth
        case 511: .portal
        // A redirect to another origin is not the server's: a captive portal, or a URL that has moved.
        case 300...303, 305...399: self.leavesOrigin ? .portal : .invalidAnswer
        case 404: .notFound
        case 408, 425, 429: .busy
        case 410: .historyLost
        case 400, 403, 409, 413, 422: .refused
        case 501, 505: .invalidAnswer
        case 500...599: .busy
        default: .invalidAnswer
        }
    }

    /// Whether the server is certainly the cause and no edit is, or whether the account may be.
    private static func blame(_ status: Int) -> RemoteFailure.Blame {
        switch status {
        case 404, 405, 501, 505: .server
        case 403: .sender
        default: .unknown
        }
    }

    /// The reason that a problem gives. An answer with a wrong status of success gives none.
    private func reason(_ problem: ProblemDetails?) -> String? {
        guard let problem, self.isSuccess, problem.document["title"] ?? problem.document["detail"] == nil else {
            return problem?.title
        }
        return nil
    }

    /// Whether HTTP counts the status as success; Tidemark does so with 200 only.
    private var isSuccess: Bool { (200...299).contains(self.status) }

    private static func sentence(_ status: Int, _ reason: String?) -> String {
        guard let reason else { return "The server answered with status \(status)." }
        let end = reason.last.map { ".!?".contains($0) } ?? false
        return "The server answered with status \(status): \(reason)\(end ? "" : ".")"
    }

    /// The advice, as a sentence with a space before it.
    private func advice(_ failureClass: FailureClass) -> String {
        switch failureClass {
        case .auth where self.status == 407: " The proxy of this network requires its own sign-in."
        case .auth: " Check the token, or sign in again."
        case .portal: self.adviceOnPortal
        case .notFound: " Check the URL: that of a Tidemark server ends in /v1."
        case .invalidAnswer: self.adviceOnURL
        case .historyLost: " A full resync of the collection is needed."
        case .refused: self.status == 413 ? " The request has to be smaller." : ""
        // The report names the time of the next try: a record that is held because of it is not sent again automatically.
        case .busy, .offline, .identityChanged, .cancelled: ""
        }
    }

    private var adviceOnPortal: String {
        guard self.status != 511 else { return " The network requires you to sign in first; open a web browser." }
        return """
             It redirects to \(self.location ?? "another URL"), which is not followed: the token is only for this \
            server. Either the network requires you to sign in first, or the URL has to be changed.
            """
    }

    private var adviceOnURL: String {
        switch self.status {
        case 300...303, 305...399:
            " It redirects to \(self.location ?? "another URL"), which is not followed. Change the URL to that one."
        case _ where self.isSuccess: " Expected 200. Check that the URL is that of a Tidemark server."
        case 415: " It may not accept compressed bodies; then turn off the compression of requests."
        default: " Check that the URL is that of a Tidemark server."
        }
    }
}
