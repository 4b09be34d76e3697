extension Problem {
    /// The refusal of a body over the limit, for whoever sees first that it is (SPEC W10).
    public static func bodyTooLarge(limit: Int) -> Problem {
        Problem(413, .bodyTooLarge, "the body is larger than \(limit) bytes; send fewer edits at once")
    }
}

extension Problem.Code {
    /// 401: the request names no account of this server.
    public static let notAuthorised = Problem.Code("not-authorised")
    /// 404: there is nothing behind this path.
    public static let noSuchPath = Problem.Code("no-such-path")
    /// 404: there never was a record of this name.
    public static let noSuchRecord = Problem.Code("no-such-record")
    /// 410: the record was deleted.
    public static let deleted = Problem.Code("deleted")
    /// 405: the path does not know the method.
    public static let methodNotAllowed = Problem.Code("method-not-allowed")
    /// 400: the path or the query can't be understood.
    public static let malformedTarget = Problem.Code("malformed-target")
    /// 400: the body is not the JSON that is expected.
    public static let malformedBody = Problem.Code("malformed-body")
    /// 400: one edit is not of the shape of SPEC §5.
    public static let malformedEdit = Problem.Code("malformed-edit")
    /// 410: the watermark can't be answered from any more (SPEC W8), though nothing of the collection is lost: deletions
    /// that it had not seen are forgotten, or it never was one of this collection. List from the start.
    public static let historyLost = Problem.Code("history-lost")
    /// 410: the watermark is of a history that this server does not have (SPEC W8): it was put back to an earlier state or
    /// set up anew, and what it acknowledged since is lost. List from the start, and keep what is not on the list.
    public static let serverWentBack = Problem.Code("server-went-back")
    /// 400: the head of the request is not as HTTP has it, or can be understood in two ways.
    public static let malformedHead = Problem.Code("malformed-head")
    /// 414: the target is over the limit.
    public static let targetTooLong = Problem.Code("target-too-long")
    /// 431: the head of the request is over the limit.
    public static let headTooLarge = Problem.Code("head-too-large")
    /// 429: the account sends more requests a second than it may; `Retry-After` says when to come again.
    public static let tooManyRequests = Problem.Code("too-many-requests")
    /// 503: there are more connections than the server takes; try again a little later.
    public static let tooManyConnections = Problem.Code("too-many-connections")
    /// 503, or 429 where the account has all that it may: there are more watches than the server takes. Ask for changes now and
    /// then, and try again later.
    public static let tooManyWatches = Problem.Code("too-many-watches")
    /// 400: one watch is to be of more collections than it can be.
    public static let tooManyCollections = Problem.Code("too-many-collections")
    /// 503: the server holds as many bytes for its clients as it may; nothing was carried out, try again a little later.
    public static let tooBusy = Problem.Code("too-busy")
    /// 408: the client took too long.
    public static let requestTimeout = Problem.Code("request-timeout")
    /// 413: the body is over the limit.
    public static let bodyTooLarge = Problem.Code("body-too-large")
    /// 413: more edits than one request may bring.
    public static let tooManyEdits = Problem.Code("too-many-edits")
    /// 413: with this edit the record would be over the limit.
    public static let recordTooLarge = Problem.Code("record-too-large")
    /// 413, of one edit: the account has as much as it may. It was not carried out; delete something, and send it again.
    public static let quotaExceeded = Problem.Code("quota-exceeded")
    /// 503, of one edit: the results before it fill the answer. It was not carried out; send it again as it is.
    public static let resultsFull = Problem.Code("results-full")
    /// 415: the encoding of the body is not understood.
    public static let unsupportedEncoding = Problem.Code("unsupported-encoding")
    /// 422: the patch does not apply to the record.
    public static let patchFailed = Problem.Code("patch-failed")
    /// 422: what the edit would leave is not a JSON object.
    public static let notAnObject = Problem.Code("not-an-object")
    /// 422: what the edit would leave is nested too deeply.
    public static let nestedTooDeeply = Problem.Code("nested-too-deeply")
    /// 422: this request id was used for another edit (SPEC W4).
    public static let requestIDReused = Problem.Code("request-id-reused")
    /// 505: the request is of another version of HTTP.
    public static let versionNotSupported = Problem.Code("version-not-supported")
    /// 503: the server does not know whether it did it; the same request again is safe (SPEC W4).
    public static let outcomeUnknown = Problem.Code("outcome-unknown")
    /// 500, or 503 where it is soon over: the server could not do it; nothing of the request was done.
    public static let serverFailed = Problem.Code("server-failed")
}
