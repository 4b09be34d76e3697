extension Problem {
    /// The refusal of a body over the limit, for the listener and the core (W10).
    public static func bodyTooLarge(limit: Int) -> Problem {
        Problem(413, .bodyTooLarge, "the body is larger than \(limit) bytes; send fewer edits at once")
    }
}

extension Problem.Code {
    /// 401: the request has no valid token.
    public static let notAuthorized = Problem.Code("not-authorized")
    /// 404: the path does not exist.
    public static let noSuchPath = Problem.Code("no-such-path")
    /// 404: a record with this pk never existed.
    public static let noSuchRecord = Problem.Code("no-such-record")
    /// 410: the record was deleted.
    public static let deleted = Problem.Code("deleted")
    /// 405: the path does not support the method.
    public static let methodNotAllowed = Problem.Code("method-not-allowed")
    /// 400: the path or the query is malformed.
    public static let malformedTarget = Problem.Code("malformed-target")
    /// 400: the body is not JSON of the expected form.
    public static let malformedBody = Problem.Code("malformed-body")
    /// 400: one edit does not have the form of Contract §5.
    public static let malformedEdit = Problem.Code("malformed-edit")
    /// 410: the server can't answer from the cursor any more (W8), but no data of the collection is lost: the server
    /// purged deletions that the client had not seen, or the cursor is of another collection. Start a full resync.
    public static let historyLost = Problem.Code("history-lost")
    /// 410: the cursor is of a history that this server does not have (W8): the server was rolled back to an earlier
    /// state, or set up again, and data that it acknowledged after that state is lost. Start a full resync, and keep the
    /// records that it does not have.
    public static let serverRolledBack = Problem.Code("server-rolled-back")
    /// 400: the head of the request violates HTTP, or is ambiguous.
    public static let malformedHead = Problem.Code("malformed-head")
    /// 414: the target is over the limit.
    public static let targetTooLong = Problem.Code("target-too-long")
    /// 431: the head of the request is over the limit.
    public static let headTooLarge = Problem.Code("head-too-large")
    /// 429: the account sends more requests per second than allowed; `Retry-After` contains the delay before a retry.
    public static let tooManyRequests = Problem.Code("too-many-requests")
    /// 503: there are more connections than the server allows; try again a little later.
    public static let tooManyConnections = Problem.Code("too-many-connections")
    /// 503, or 429 if the limit of the account is reached: there are more watches than allowed. Poll instead, and try again
    /// later.
    public static let tooManyWatches = Problem.Code("too-many-watches")
    /// 400: one watch has more collections than allowed.
    public static let tooManyCollections = Problem.Code("too-many-collections")
    /// 503: the server's memory for requests and answers is used up; nothing was carried out, try again a little later.
    public static let tooBusy = Problem.Code("too-busy")
    /// 408: the client took too long.
    public static let requestTimeout = Problem.Code("request-timeout")
    /// 413: the body is over the limit.
    public static let bodyTooLarge = Problem.Code("body-too-large")
    /// 413: more edits than one request may have.
    public static let tooManyEdits = Problem.Code("too-many-edits")
    /// 413: with this edit the record would be over the limit.
    public static let recordTooLarge = Problem.Code("record-too-large")
    /// 413, of one edit: the account's quota is used up. The edit was not carried out; delete something, and send it again.
    public static let quotaExceeded = Problem.Code("quota-exceeded")
    /// 503, of one edit: the results before it fill the answer. The edit was not carried out; send it again unchanged.
    public static let resultsFull = Problem.Code("results-full")
    /// 415: the encoding of the body is not supported.
    public static let unsupportedEncoding = Problem.Code("unsupported-encoding")
    /// 422: the patch does not apply to the record.
    public static let patchFailed = Problem.Code("patch-failed")
    /// 422: the result of the edit is not a JSON object.
    public static let notAnObject = Problem.Code("not-an-object")
    /// 422: the result of the edit is nested too deeply.
    public static let nestedTooDeeply = Problem.Code("nested-too-deeply")
    /// 422: this request id was used for a different edit (W4).
    public static let requestIDReused = Problem.Code("request-id-reused")
    /// 503: the outcome is unknown; the same request again is safe (W4).
    public static let outcomeUnknown = Problem.Code("outcome-unknown")
    /// 500, or 503 if the failure is temporary: the server failed, and nothing of the request was done.
    public static let serverFailed = Problem.Code("server-failed")
}
