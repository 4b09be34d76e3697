package import TidemarkJSON

/// The members of a record that do not belong to the app (Contract §12): kept and shown, never compared, never part of a change.
///
/// If a server returns a record as a whole row, the row contains its id and its times. They change without an edit, so they are
/// no reason for a conflict, and their former values are not sent back to the server.
///
/// A pointer leads through objects; one that leads into an array has no effect. If the server creates the object that contains
/// its members, name that object: an object that is named only in part belongs to the app, and is removed if an app leaves it
/// out.
package struct RecordMembers: Hashable, Sendable {
    /// The members that the server sets: they are not sent.
    package let server: [JSONPointer]

    /// The members that are sent back unchanged: a whole record that is sent has them with the server's values.
    package let carried: [JSONPointer]

    /// The member with the pk, if the server names records itself; nil if `pk` is the name.
    package let pk: JSONPointer?

    /// All named members.
    private let all: [JSONPointer]

    /// Names members. The root is ignored.
    package init(server: [JSONPointer] = [], carried: [JSONPointer] = [], pk: JSONPointer? = nil) {
        self.server = server.filter { !$0.isRoot }
        self.carried = carried.filter { !$0.isRoot }
        self.pk = pk.flatMap { $0.isRoot ? nil : $0 }
        self.all = self.server + self.carried + (self.pk.map { [$0] } ?? [])
    }

    /// Whether every member belongs to the app.
    package var isEmpty: Bool { self.all.isEmpty }

    /// Returns a record without them, for comparison.
    package func removed(from record: JSON) -> JSON {
        self.all.reduce(record) { $0.removing($1.tokens[...]) }
    }

    /// Returns a record with their values from another record, for display.
    package func copied(from source: JSON?, into record: JSON) -> JSON {
        guard let source else { return record }
        return Self.copied(self.all, from: source, into: record)
    }

    /// Returns a whole record for sending: without the server's members, and with the pk and the members that are sent back
    /// unchanged.
    package func sent(_ record: JSON, over base: JSON?, pk name: String) -> JSON {
        var record = base.map { Self.copied(self.carried, from: $0, into: record) } ?? record
        for member in self.server { record = record.removing(member.tokens[...]) }
        guard let pk else { return record }
        return record.placing(.string(JSONString(name)), at: pk.tokens[...])
    }

    private static func copied(_ members: [JSONPointer], from source: JSON, into record: JSON) -> JSON {
        members.reduce(record) { record, member in
            guard let value = source[pointer: member], record[pointer: member] != value else { return record }
            return record.placing(value, at: member.tokens[...])
        }
    }
}

extension JSON {
    /// Returns the value without a member; the same value if there is no such member.
    package func removing(_ tokens: ArraySlice<String>) -> JSON {
        guard let key = tokens.first, var members = self.object, let member = members[key] else { return self }
        members[key] = tokens.count == 1 ? nil : member.removing(tokens.dropFirst())
        return .object(members)
    }

    /// Returns the value with a member, and with the objects that contain it; the same value if one of them is not an object.
    fileprivate func placing(_ value: JSON, at tokens: ArraySlice<String>) -> JSON {
        guard let key = tokens.first, var members = self.object else { return self }
        guard tokens.count > 1 else {
            members[key] = value
            return .object(members)
        }
        members[key] = (members[key] ?? .object(JSONObject())).placing(value, at: tokens.dropFirst())
        return .object(members)
    }
}
