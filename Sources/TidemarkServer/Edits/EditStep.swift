import TidemarkJSON

/// The decision on one edit, before any of it is written.
struct EditStep {
    /// The outcome of the edit.
    enum Outcome {
        case accepted, conflicted, refused, repeated
    }

    let outcome: Outcome
    /// The RESULT.
    let result: [UInt8]
    /// The row that the result has.
    let row: ServerRow?
    var write: ServerRow?
    /// The change of the account's size.
    var growth = AccountGrowth()
    /// The size of the row that the edit was decided over.
    var bytesRead = 0
    /// The answer that is kept for repetitions.
    private(set) var remembered: RememberedAnswer?

    private let isConflicted: Bool

    init(_ envelope: EditEnvelope, row: ServerRow?, isConflicted: Bool, problem: Problem?) {
        self.result = EditResult(envelope, item: row, isConflicted: isConflicted, problem: problem).bytes
        self.row = row
        self.isConflicted = isConflicted
        self.outcome = problem != nil ? .refused : isConflicted ? .conflicted : .accepted
    }

    /// A step that repeats an earlier answer.
    init(repeating result: [UInt8]) {
        self.result = result
        self.row = nil
        self.isConflicted = false
        self.outcome = .repeated
    }

    /// This step; its answer is stored for repetitions if the edit has an id (W4).
    func remembering(_ json: JSON, _ envelope: EditEnvelope, limits: ServerLimits) -> EditStep {
        guard envelope.isNamed else { return self }
        var step = self
        let source = json.bytes
        let result: RememberedAnswer.Result =
            if let row = self.row, self.result.count > limits.rememberedResult(ofEdit: source.count) {
                .row(version: row.updatedAt, isConflicted: self.isConflicted)
            } else {
                .whole(self.result)
            }
        step.remembered = RememberedAnswer(
            requestID: envelope.requestID,
            edit: source.count > limits.rememberedEdit ? .digest(EditDigest.text(of: json)) : .whole(source),
            result: result)
        return step
    }
}

extension ServerLimits {
    /// The size up to which every RESULT is kept whole, unless the limits keep none.
    private static let smallResult = 1 << 10

    /// The size up to which the RESULT of an edit of this size is kept whole.
    fileprivate func rememberedResult(ofEdit bytes: Int) -> Int {
        let (product, isTooMuch) = bytes.multipliedReportingOverflow(by: self.rememberedGrowth)
        return min(self.rememberedResult, isTooMuch ? .max : max(Self.smallResult, product))
    }
}

/// One RESULT (Contract §5).
struct EditResult {
    /// The JSON as it is sent, and kept for repetitions.
    let bytes: [UInt8]

    init(_ envelope: EditEnvelope, item: ServerRow?, isConflicted: Bool, problem: Problem?) {
        var writer = JSONWriter()
        writer.object { result in
            result.member("request_id", envelope.requestID)
            result.member("pk", envelope.pk)
            result.member("is_conflicted", isConflicted)
            result.key("item")
            if let item { result.item(item) } else { result.json("null".utf8) }
            result.member("error", json: problem?.bytes)
        }
        self.bytes = writer.bytes
    }
}
