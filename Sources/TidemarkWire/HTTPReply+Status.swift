import TidemarkCore
import TidemarkHTTPFields
import TidemarkJSON
import TidemarkMachine

extension HTTPReply {
    /// Whether a status is a judgement about what was sent, and not about the server's day or who we are.
    static func judges(_ status: Int) -> Bool {
        switch status {
        case 401, 407, 408, 425, 429, 500...599: false
        default: true
        }
    }

    /// What a status other than 200 means (SPEC §3.5).
    var failure: RemoteFailure {
        let problem = self.isWebPage ? nil : ProblemDetails(bytes: self.body, status: self.status)
        let failureClass = self.failureClass
        if failureClass == .historyLost, problem == nil, self.mediaType.isProblem { return self.brokenOff }
        var failure = self.failure(
            failureClass, Self.sentence(self.status, problem?.title) + self.advice(failureClass), problem: problem,
            blame: Self.blame(self.status))
        failure.serverWentBack = failureClass == .historyLost && problem?.document["code"]?.string == Self.wentBackCode
        failure.account = problem?.document["account"]?.string
        return failure
    }

    /// A problem document that broke off says neither whose history was lost nor how, and whether the server went back
    /// decides what is kept of the records (SPEC §6).
    private var brokenOff: RemoteFailure {
        self.failure(
            .offline, "The server's refusal (status \(self.status)) broke off. It is asked again.")
    }

    /// What the server calls a 410 that is not about the horizon (SPEC W8): it has lost what it acknowledged.
    private static let wentBackCode = "server-went-back"

    private var failureClass: FailureClass {
        switch self.status {
        case 401, 407: .auth
        case 511: .portal
        // Whoever sends elsewhere is not the server: a portal that wants a sign-in, or a URL that has moved.
        case 300...303, 305...399: self.leavesOrigin ? .portal : .protocol
        case 404: .notFound
        case 408, 425, 429: .busy
        case 410: .historyLost
        case 400, 403, 409, 413, 422: .refused
        case 501, 505: .protocol
        case 500...599: .busy
        default: .protocol
        }
    }

    /// Whether it is certain that no edit has brought this about, or possible that it was the account.
    private static func blame(_ status: Int) -> RemoteFailure.Blame {
        switch status {
        case 404, 405, 501, 505: .server
        case 403: .sender
        default: .unknown
        }
    }

    private static func sentence(_ status: Int, _ reason: String?) -> String {
        guard let reason else { return "The server answered with status \(status)." }
        let end = reason.last.map { ".!?".contains($0) } ?? false
        return "The server answered with status \(status): \(reason)\(end ? "" : ".")"
    }

    /// What to do, as a sentence with a blank before it.
    private func advice(_ failureClass: FailureClass) -> String {
        switch failureClass {
        case .auth where self.status == 407: " The proxy of this network wants a sign-in of its own."
        case .auth: " Check the token, or sign in again."
        case .portal: self.adviceOnPortal
        case .notFound: " Check the URL: that of a Tidemark server ends in /v1."
        case .protocol: self.adviceOnURL
        case .historyLost: " The collection is read again from the start."
        case .refused: self.status == 413 ? " What is sent at once has to be smaller." : ""
        // When it is asked again is the report's to say: a record that is held for it is not sent again by itself.
        case .busy, .offline, .identityChanged, .cancelled: ""
        }
    }

    private var adviceOnPortal: String {
        guard self.status != 511 else { return " The network wants you to sign in first; open a web browser to see." }
        return """
             It sends on to \(self.location ?? "another place"), which is not followed: the token is only for this \
            server. Either the network wants you to sign in first, or the URL has to be changed.
            """
    }

    private var adviceOnURL: String {
        switch self.status {
        case 300...303, 305...399:
            " It sends on to \(self.location ?? "another place"), which is not followed. Change the URL to where it leads."
        case 415: " It may not take packed bodies; then turn off the packing of requests."
        default: " Check that the URL is that of a Tidemark server."
        }
    }
}
