import TidemarkCore
import TidemarkHTTPFields
import TidemarkJSON
import TidemarkMachine

/// The outside of an HTTP answer: status, header fields, and whether the body may be an answer of the server.
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
        self.retryAfter = header("Retry-After").flatMap { RemoteFailure.RetryAfter(field: $0, date: header("Date")) }
        self.location = header("Location")
        self.leavesOrigin = WebOrigin.leaves(base, to: self.location)
        // The length of a compressed body is not that of the decompressed one.
        self.packedLength = header("Content-Encoding") == nil ? header("Content-Length").flatMap { Int($0) } : nil
    }

    /// Whether the body is a web page, as captive portals and wrong URLs return.
    var isWebPage: Bool { self.mediaType.isWebPage(self.body) }

    /// Why a body with status 200 is not an answer; nil if it may be one.
    var failureInSpiteOfStatus: RemoteFailure? {
        if let length = self.packedLength, length > self.body.count {
            return self.failure(
                .offline,
                "The server's answer ended after \(self.body.count) of \(length) bytes. The request is repeated."
            )
        }
        if self.body.isEmpty {
            return self.notUnderstood("it is empty")
        }
        if self.isWebPage {
            return self.failure(
                .portal,
                """
                A web page arrived instead of an answer. Either the network requires you to sign in first (open a web \
                browser), or the URL is not that of a Tidemark server.
                """)
        }
        return nil
    }

    /// The failure for a complete but malformed body.
    func notUnderstood(_ reason: String) -> RemoteFailure {
        let type = self.mediaType.name.isEmpty ? "" : " (\(self.mediaType.name))"
        return self.failure(
            .invalidAnswer,
            """
            The server's answer\(type) is malformed: \(reason). Check that the URL is that of a Tidemark server.
            """)
    }

    func failure(
        _ failureClass: FailureClass, _ message: String, problem: ProblemDetails? = nil,
        blame: RemoteFailure.Blame = .unknown
    ) -> RemoteFailure {
        RemoteFailure(failureClass, message, problem: problem, retryAfter: self.retryAfter, blame: blame)
    }
}
