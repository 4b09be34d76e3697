public import TidemarkJSON

/// Why a record is held: it is not sent until it is edited, released or resigned (SPEC §3.3, §3.5, §3.6).
public struct RecordHold: Hashable, Sendable {
    /// What led to it.
    public enum Cause: Hashable, Sendable {
        /// The server refused the change for its content.
        ///
        /// - Parameters:
        ///   - status: The HTTP status; nil when the server gave none for this change.
        ///   - problem: The server's problem document (RFC 9457).
        case refused(status: Int?, problem: JSON)

        /// The change came back with a clash so often.
        case rounds(Int)

        /// The server failed on this record alone, while it took others.
        ///
        /// - Parameter problem: What it failed with, as a problem document.
        case alone(problem: JSON)
    }

    /// What led to it.
    public let cause: Cause

    /// Whether a person is asked what becomes of the change.
    public internal(set) var isAsked = false

    /// Makes a hold.
    public init(_ cause: Cause, isAsked: Bool = false) {
        self.cause = cause
        self.isAsked = isAsked
    }

    /// Why, for a person: one line.
    public var reason: String {
        switch self.cause {
        case .rounds: "The server's version moved again and again while this change was on its way."
        case .refused(_, let problem), .alone(let problem): Self.words(of: problem)
        }
    }

    private static func words(of problem: JSON) -> String {
        let parts = [problem["title"]?.string, problem["detail"]?.string].compactMap { $0 }
        return parts.isEmpty ? problem.text : parts.joined(separator: ": ")
    }
}

// MARK: - From and to the store

extension RecordHold {
    /// The shape in which it is stored: `{"cause":"refused","status","problem"}`, `{"cause":"rounds","rounds"}` or
    /// `{"cause":"alone","problem"}`, and `"asked":true` where a person is.
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

    /// Reads what is stored. A document of another shape is the server's problem: so it was stored at first.
    init(stored bytes: [UInt8]) {
        let json = (try? JSON(parsing: bytes)) ?? ["title": "held"]
        let isAsked = json["asked"] == true
        switch (json["cause"]?.string, json["problem"], json["rounds"]?.int) {
        case ("refused", .some(let problem), _):
            self.init(.refused(status: json["status"]?.int, problem: problem), isAsked: isAsked)
        case ("rounds", _, .some(let count)): self.init(.rounds(count), isAsked: isAsked)
        case ("alone", .some(let problem), _): self.init(.alone(problem: problem), isAsked: isAsked)
        default:
            self.init(.refused(status: json["status"]?.int, problem: json))
        }
    }

    /// The refusal of one edit.
    init(refusedWith problem: ProblemDetails) {
        self.init(.refused(status: problem.status, problem: problem.document))
    }

    /// The refusal of a request that carried one edit.
    init(refusedWith failure: RemoteFailure) {
        self.init(.refused(status: failure.problem?.status, problem: failure.document))
    }

    /// A server that fails on one record.
    init(aloneWith failure: RemoteFailure?) {
        self.init(.alone(problem: failure?.document ?? ["title": "The server fails on this record alone."]))
    }
}

extension RemoteFailure {
    /// The server's problem document; where it sent none, one that says what happened.
    fileprivate var document: JSON {
        self.problem?.document ?? ["title": .string(JSONString(self.message))]
    }
}
