public import TidemarkJSON

/// Why a record is held: it is not sent until it is edited, retried or resigned (Contract §3.3, §3.5, §3.6).
public struct RecordHold: Hashable, Sendable {
    /// The cause of the hold.
    public enum Cause: Hashable, Sendable {
        /// The server refused the change for its content.
        ///
        /// - Parameters:
        ///   - status: The HTTP status; nil if the server gave none for this change.
        ///   - problem: The server's problem document (RFC 9457).
        case refused(status: Int?, problem: JSON)

        /// The change met a conflict too often.
        case rounds(Int)

        /// The server failed on this record alone, while it accepted others.
        ///
        /// - Parameter problem: The failure, as a problem document.
        case alone(problem: JSON)
    }

    /// The cause of the hold.
    public let cause: Cause

    /// Whether the user has to decide about the change.
    public internal(set) var isAsked = false

    /// Makes a hold.
    public init(_ cause: Cause, isAsked: Bool = false) {
        self.cause = cause
        self.isAsked = isAsked
    }

    /// The reason, as one line for the user.
    public var reason: String {
        switch self.cause {
        case .rounds: "The server's version changed again and again while this change was being sent."
        case .refused(_, let problem), .alone(let problem): Self.words(of: problem)
        }
    }

    /// The server's refusal, with its errors by field (``ProblemDetails/errors``); nil unless the server refused the change with an
    /// HTTP status.
    ///
    /// ```swift
    /// if let problem = try await notes["42"].snapshot()?.hold?.problem {
    ///     print(problem.status, problem.title, problem.errors["/title"] ?? [])
    /// }
    /// ```
    public var problem: ProblemDetails? {
        guard case .refused(let status?, let problem) = self.cause else { return nil }
        let words = ["detail", "title"].lazy.compactMap { problem[$0]?.string }.first { !$0.isEmpty }
        return ProblemDetails(status: status, title: words ?? self.reason, document: problem)
    }

    private static func words(of problem: JSON) -> String {
        let parts = [problem["title"]?.string, problem["detail"]?.string].compactMap { $0 }
        let words = parts.isEmpty ? problem.text : parts.joined(separator: ": ")
        // A title and a detail, each of which is cut when it is read.
        return words.cut(after: 2 * ProblemDetails.textSize + 4)
    }
}

// MARK: - From and to the store

extension RecordHold {
    /// The stored form: `{"cause":"refused","status","problem"}`, `{"cause":"rounds","rounds"}` or
    /// `{"cause":"alone","problem"}`, and `"asked":true` if the user has to decide.
    public var json: JSON {
        var json: JSON =
            switch self.cause {
            case .refused(let status, let problem):
                ["cause": "refused", "status": status.map { .number(JSONNumber($0)) } ?? .null, "problem": problem]
            case .rounds(let count): ["cause": "rounds", "rounds": .number(JSONNumber(count))]
            case .alone(let problem): ["cause": "alone", "problem": problem]
            }
        if self.isAsked { json["asked"] = true }
        return json
    }

    /// A hold of which only the fact is known.
    static let unknown = RecordHold(.refused(status: nil, problem: ["title": "held"]))

    /// Reads the stored form. Bytes that are damaged have no cause: the record stays held.
    init(stored bytes: [UInt8]) {
        let json = try? JSON(parsing: bytes)
        let isAsked = json?["asked"] == true
        switch (json?["cause"]?.string, json?["problem"], json?["rounds"]?.int) {
        case ("refused", .some(let problem), _):
            self.init(.refused(status: json?["status"]?.int, problem: problem), isAsked: isAsked)
        case ("rounds", _, .some(let count)): self.init(.rounds(count), isAsked: isAsked)
        case ("alone", .some(let problem), _): self.init(.alone(problem: problem), isAsked: isAsked)
        default: self = .unknown
        }
    }

    /// Makes the hold for the refusal of one edit.
    init(refusedWith problem: ProblemDetails) {
        self.init(.refused(status: problem.status, problem: problem.document))
    }

    /// Makes the hold for the refusal of a request with one edit.
    init(refusedWith failure: RemoteFailure) {
        self.init(.refused(status: failure.problem?.status, problem: failure.document))
    }

    /// Makes the hold for a server that fails on one record.
    init(aloneWith failure: RemoteFailure?) {
        self.init(.alone(problem: failure?.document ?? ["title": "The server fails on this record alone."]))
    }
}

extension RemoteFailure {
    /// The server's problem document; if it sent none, a document with the message.
    fileprivate var document: JSON {
        self.problem?.document ?? ["title": .string(JSONString(self.message))]
    }
}
