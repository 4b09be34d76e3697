import TidemarkJSON

/// The parts of an edit that are read before it is parsed: enough to answer it, and to remember the answer.
struct EditEnvelope {
    /// The ids as they came; empty if they are missing or not strings.
    var requestID: String
    var pk: String
    /// False if the id can't be remembered.
    var isNamed: Bool

    init(_ json: JSON, limits: ServerLimits) {
        let requestID = json["request_id"]?.string ?? ""
        self.requestID = requestID
        self.pk = json["pk"]?.string ?? ""
        self.isNamed = !requestID.isEmpty && requestID.utf8.count <= limits.requestID
    }
}

extension Edit {
    /// Parses an edit strictly: a member that is missing or of the wrong type is refused with a pointer into the edit (Contract
    /// W5).
    init(_ json: JSON, limits: ServerLimits) throws(Problem) {
        guard json.object != nil else { throw Self.malformed("an edit must be a JSON object", at: "") }
        self.requestID = try Self.name("request_id", of: json, limit: limits.requestID)
        self.pk = try Self.name("pk", of: json, limit: limits.pk)
        self.version = try Self.version(of: json)
        self.change = try Self.change(of: json)
    }

    private static func name(_ member: String, of json: JSON, limit: Int) throws(Problem) -> String {
        guard let text = json[member]?.string else {
            throw Self.malformed("“\(member)” is missing, or is not a string", at: "/\(member)")
        }
        guard !text.isEmpty else { throw Self.malformed("“\(member)” is empty", at: "/\(member)") }
        guard text.utf8.count <= limit else {
            throw Self.malformed(
                "“\(member)” has \(text.utf8.count) bytes; \(limit) are allowed", at: "/\(member)")
        }
        return text
    }

    private static func version(of json: JSON) throws(Problem) -> Version {
        switch json["updated_at"]?.byType {
        case nil, .null: return .unnamed
        case .number(let number): return .named(number)
        case .bool, .string, .array, .object:
            throw Self.malformed(
                "“updated_at” must be the number that came with the record, or null", at: "/updated_at")
        }
    }

    private static func change(of json: JSON) throws(Problem) -> Change {
        switch json["sync_state"]?.string {
        case "CREATED": return .created(try Self.patch(of: json))
        case "EDITED": return .edited(try Self.patch(of: json))
        case "DELETED": return .deleted
        case let other:
            let found = other.map { "it is “\($0)”" } ?? "it is missing, or is not a string"
            throw Self.malformed(
                "“sync_state” must be CREATED, EDITED or DELETED; \(found)", at: "/sync_state")
        }
    }

    private static func patch(of json: JSON) throws(Problem) -> JSONPatch {
        guard let member = json["edited_data"], member.array != nil else {
            throw Self.malformed("“edited_data” must be a JSON Patch, an array", at: "/edited_data")
        }
        do throws(JSONError) {
            return try JSONPatch(json: member)
        } catch {
            throw Self.malformed(
                "“edited_data” is not a JSON Patch: \(error)", at: "/edited_data\(error.pointer ?? "")")
        }
    }

    private static func malformed(_ detail: String, at pointer: String) -> Problem {
        Problem(400, .malformedEdit, "\(detail); correct the edit, and send it as a new one", pointer: pointer)
    }
}
