package import TidemarkJSON

/// The members of a record that are not the app's (SPEC §12): kept and shown, never compared, never part of a change.
///
/// A server that shows a record as a whole row has its id and its times in it. They move without anyone's edit, so they make
/// no conflict, and what the server once said of a record is not sent back to it.
///
/// A pointer leads through objects; one that leads into an array names nothing. Where the server makes the object that its
/// members are in, name that object: one that is named only in part is the app's, and goes when an app leaves it out.
package struct RecordMembers: Hashable, Sendable {
    /// The server's own: left out of what is sent.
    package let server: [JSONPointer]

    /// Those that only travel: a whole record that is sent has them as the server sent them.
    package let carried: [JSONPointer]

    /// The member that has the pk, where the server names records itself; nil where pk is the name.
    package let pk: JSONPointer?

    /// All of them.
    private let all: [JSONPointer]

    /// Names members. The root is none.
    package init(server: [JSONPointer] = [], carried: [JSONPointer] = [], pk: JSONPointer? = nil) {
        self.server = server.filter { !$0.isRoot }
        self.carried = carried.filter { !$0.isRoot }
        self.pk = pk.flatMap { $0.isRoot ? nil : $0 }
        self.all = self.server + self.carried + (self.pk.map { [$0] } ?? [])
    }

    /// Whether every member is the app's.
    package var isEmpty: Bool { self.all.isEmpty }

    /// A record without them: what is compared.
    package func removed(from record: JSON) -> JSON {
        self.all.reduce(record) { $0.removing($1.tokens[...]) }
    }

    /// A record with them as another one has them: what is shown.
    package func copied(from source: JSON?, into record: JSON) -> JSON {
        guard let source else { return record }
        return Self.copied(self.all, from: source, into: record)
    }

    /// A whole record as it is sent: without the server's members, and with those that travel and the pk.
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
    /// The same without a member; the same where there is none.
    package func removing(_ tokens: ArraySlice<String>) -> JSON {
        guard let key = tokens.first, var members = self.object, let member = members[key] else { return self }
        members[key] = tokens.count == 1 ? nil : member.removing(tokens.dropFirst())
        return .object(members)
    }

    /// The same with a member, and the objects that it lies in; the same where one of them is something else.
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
