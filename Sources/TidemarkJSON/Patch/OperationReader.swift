/// Reads the members of one operation from its JSON object, and reports which operation lacks which member.
struct OperationReader {
    let json: JSON
    let index: Int

    /// The member with this name, which must be a string.
    func string(_ name: String) throws(JSONError) -> String {
        let value = try self.member(name)
        guard let string = value.string else {
            throw self.failure("“\(name)” is \(value.kind), it must be a string", at: name)
        }
        return string
    }

    /// The member with this name, which must be a JSON Pointer.
    func pointer(_ name: String) throws(JSONError) -> JSONPointer {
        let text = try self.string(name)
        do {
            return try JSONPointer(parsing: text)
        } catch {
            throw self.failure("“\(name)”: \(error.message)", at: name)
        }
    }

    /// The member `value`; null is a value.
    func value() throws(JSONError) -> JSON { try self.member("value") }

    func unknown(_ name: String) -> JSONError {
        self.failure(
            "there is no operation “\(name.beginning)”; use add, remove, replace, move, copy or test", at: "op")
    }

    private func member(_ name: String) throws(JSONError) -> JSON {
        if let value = self.json[name] { return value }
        guard self.json.kindOfValue == .object else {
            throw .patch("operation \(self.index + 1) is \(self.json.kind), it must be an object", at: "/\(self.index)")
        }
        let kind = self.json["op"]?.string.map { " (\($0))" } ?? ""
        throw .patch("operation \(self.index + 1)\(kind) has no member “\(name)”; add it", at: "/\(self.index)")
    }

    private func failure(_ reason: String, at member: String) -> JSONError {
        .patch("operation \(self.index + 1): \(reason)", at: "/\(self.index)/\(member)")
    }
}
