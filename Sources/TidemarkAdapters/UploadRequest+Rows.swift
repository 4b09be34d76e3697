public import TidemarkCore
public import TidemarkJSON
import TidemarkRules

extension UploadRequest {
    /// The version that the edit was made on, as plain text: the content of a JSON string, or the text of a number. Nil for a
    /// create of a record that the server does not have.
    public var versionText: String? {
        guard let version, let json = try? JSON(parsing: version) else { return self.version }
        return json.string ?? json.text
    }

    /// The members of the record that the edit changes, each with its whole new value: for a PATCH of a server that replaces
    /// columns.
    ///
    /// A merge patch (`mergePatch()`) goes deeper: a server that replaces the member would lose the rest of a nested object. A
    /// server with JSON Merge Patch needs `mergePatch()`: with the changed members a removed nested member stays, and a null
    /// removes the member.
    ///
    /// - Parameter members: Further members to leave out.
    /// - Returns: An object; nil for a create, for a delete, and if a member was removed. Then send the whole record.
    /// - Throws: `JSONError` if the patch does not fit the base.
    public func changedMembers(without members: [JSONPointer] = []) throws(JSONError) -> JSON? {
        guard self.intent == .edit, let after = try self.record(without: members)?.object,
            let before = try self.before(members)
        else { return nil }
        guard before.keys.allSatisfy({ after[$0] != nil }) else { return nil }
        var changed = JSONObject()
        for (name, value) in after where before[name] != value { changed[name] = value }
        return .object(changed)
    }

    /// The record before the edit, without the members that are not sent.
    private func before(_ members: [JSONPointer]) throws(JSONError) -> JSONObject? {
        guard let base else { return nil }
        let record = try JSON(parsing: base)
        let sent = self.members.sent(record, over: record, pk: self.pk)
        return members.reduce(sent) { $0.removing($1.tokens[...]) }.object
    }
}
