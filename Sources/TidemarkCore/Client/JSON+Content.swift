import TidemarkJSON
import TidemarkRules

// Records as values of an app's own types.

extension JSON {
    /// Encodes a value as a record.
    static func content(encoding value: some Encodable, dates: JSONDates) throws(TidemarkError) -> JSON {
        if let json = value as? JSON { return json }
        let json: JSON
        do {
            json = try JSON(encoding: value, dates: dates)
        } catch {
            throw TidemarkError(
                .invalidContent, "A \(type(of: value)) can't be written as JSON: \(error).", cause: error)
        }
        guard json.object != nil else {
            throw TidemarkError(
                .invalidContent,
                "A \(type(of: value)) becomes \(json.kind), and a record is an object: make it a member of a type.")
        }
        return json
    }

    /// Decodes a record as a value.
    func content<Value: Decodable>(as type: Value.Type, dates: JSONDates) throws(TidemarkError) -> Value {
        if let json = self as? Value { return json }
        do {
            return try self.decode(type, dates: dates)
        } catch {
            throw TidemarkError(.invalidContent, "The record is not a \(type): \(error).", cause: error)
        }
    }

    /// Returns the record as a type sees it: decoded and encoded again; nil if the type can't read it.
    func seen<Value: Codable>(as type: Value.Type, dates: JSONDates) -> JSON? {
        try? JSON.content(encoding: self.content(as: type, dates: dates), dates: dates)
    }
}
