import TidemarkCore
import TidemarkHTTPFields
import TidemarkJSON
import TidemarkMachine

/// An HTTP answer by its outside: status, header fields, and whether the body can be what it should be.
struct HTTPReply {
    let status: Int
    let body: [UInt8]
    let mediaType: MediaType
    let retryAfter: RemoteFailure.RetryAfter?
    let location: String?
    let packedLength: Int?

    /// Whether a redirect leads to another origin than that of the server.
    let leavesOrigin: Bool

    init(status: Int, header: (String) -> String?, body: [UInt8], base: String? = nil) {
        self.status = status
        self.body = body
        self.mediaType = MediaType(field: header("Content-Type"))
        self.retryAfter = header("Retry-After").flatMap(RemoteFailure.RetryAfter.init(field:))
        self.location = header("Location")
        self.leavesOrigin = WebOrigin.leaves(base, to: self.location)
        // The length of a packed body says nothing about the unpacked one.
        self.packedLength = header("Content-Encoding") == nil ? header("Content-Length").flatMap { Int($0) } : nil
    }

    /// Whether the body is a web page: what captive portals and wrong URLs answer.
    var isWebPage: Bool { self.mediaType.isWebPage(self.body) }

    /// Why a body with status 200 is no answer all the same; nil when it may be one.
    var failureInSpiteOfStatus: RemoteFailure? {
        if let length = self.packedLength, length > self.body.count {
            return self.failure(
                .offline,
                "The answer of the server broke off after \(self.body.count) of \(length) bytes. It is asked for again."
            )
        }
        if self.body.isEmpty {
            return self.notUnderstood("it is empty")
        }
        if self.isWebPage {
            return self.failure(
                .portal,
                """
                A web page came instead of an answer. Either the network wants you to sign in first (open a web \
                browser to see), or the URL is not that of a Tidemark server.
                """)
        }
        return nil
    }

    /// A body that came whole and makes no sense.
    func notUnderstood(_ reason: String) -> RemoteFailure {
        let type = self.mediaType.name.isEmpty ? "" : " (\(self.mediaType.name))"
        return self.failure(
            .protocol,
            """
            The answer of the server\(type) makes no sense: \(reason). Check that the URL is that of a Tidemark server.
            """)
    }

    func failure(
        _ failureClass: FailureClass, _ message: String, problem: ProblemDetails? = nil,
        blame: RemoteFailure.Blame = .unknown
    ) -> RemoteFailure {
        RemoteFailure(failureClass, message, problem: problem, retryAfter: self.retryAfter, blame: blame)
    }
}
