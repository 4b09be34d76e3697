/// A change of a JSON document written as a document, after RFC 7396: members that are null are taken away.
///
/// It can't say "set to null" nor change one element of an array; a `JSONPatch` can. Tidemark reads it where people
/// write it by hand, and keeps and sends `JSONPatch` only.
public struct JSONMergePatch: Sendable, Hashable {
    /// The patch as the document it is.
    public var json: JSON

    /// Takes any JSON value as a merge patch: each one is.
    public init(_ json: JSON) {
        self.json = json
    }

    /// Reads a merge patch from its JSON text.
    ///
    /// - Throws: `JSONError` where the text is no JSON.
    public init(parsing bytes: [UInt8], limits: JSON.Limits = .default) throws(JSONError) {
        self.init(try JSON(parsing: bytes, limits: limits))
    }

    /// The document after the patch (RFC 7396 §2); nil is "there is no record", over which it makes one.
    ///
    /// Members that are not touched keep their place and their text; new members go to the end.
    public func apply(to document: JSON?) -> JSON {
        var document = document ?? .null
        document.merge(self.json)
        return document
    }

    /// The merge patch that makes `to` of `from`, or nil where there is none: a member that has to become null can't
    /// be written, nor can "there is no record".
    public static func diff(from: JSON?, to: JSON?) -> JSONMergePatch? {
        guard let to else { return nil }
        let changes = Changes.nested(from, to)
        guard !changes.isEmpty else { return JSONMergePatch(to.object == nil ? to : [:]) }
        return changes.mergePatch(of: 0).map(JSONMergePatch.init)
    }
}

extension Changes {
    /// The merge patch of a change to some value, or nil where null would have to be written as a value.
    fileprivate func mergePatch(of place: Int) -> JSON? {
        let change = self.list[place]
        guard !change.isWhole else { return self.valueAfter(change).flatMap { $0.hasNullMember ? nil : $0 } }
        var patch = JSONObject()
        for place in self.members(of: place) {
            let member = self.list[place]
            guard member.after != Change.nothing else {
                patch[self.key(member)] = JSON.null
                continue
            }
            guard self.valueAfter(member)?.isNull == false, let value = self.mergePatch(of: place) else { return nil }
            patch[self.key(member)] = value
        }
        return .object(patch)
    }
}

extension JSON {
    /// RFC 7396 §2, `MergePatch`, in place.
    fileprivate mutating func merge(_ patch: JSON) {
        guard let changes = patch.object else {
            self = patch
            return
        }
        var members = self.members ?? JSONMembers()
        self = .null
        for (key, change) in changes {
            if change.isNull {
                members[key] = nil
            } else {
                var child = members[key] ?? .null
                members[key] = JSON.null
                child.merge(change)
                members[key] = child
            }
        }
        self = JSON(storage: .members(members))
    }

    /// Whether an object, or an object inside of it, has a member that is null; arrays are taken as they are.
    fileprivate var hasNullMember: Bool {
        guard let members = self.object else { return false }
        return members.contains { $0.value.isNull || $0.value.hasNullMember }
    }
}
