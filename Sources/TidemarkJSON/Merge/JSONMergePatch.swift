/// A change of a JSON document written as a document (RFC 7396): a member that is null is removed.
///
/// It can't set a value to null nor change one element of an array; a `JSONPatch` can. Tidemark reads it if a user writes it by
/// hand, and stores and sends `JSONPatch` only.
public struct JSONMergePatch: Sendable, Hashable {
    /// The patch as a document.
    public var json: JSON

    /// Makes a merge patch from any JSON value; every value is one.
    public init(_ json: JSON) {
        self.json = json
    }

    /// Reads a merge patch from its JSON text.
    ///
    /// - Throws: `JSONError` if the text is not JSON.
    public init(parsing bytes: [UInt8], limits: JSON.Limits = .default) throws(JSONError) {
        self.init(try JSON(parsing: bytes, limits: limits))
    }

    /// Returns the document after the patch (RFC 7396 §2); nil means that there is no record, and the patch creates one.
    ///
    /// Members that the patch does not name keep their position and their text; new members go to the end.
    public func apply(to document: JSON?) -> JSON {
        var document = document ?? .null
        document.merge(self.json)
        return document
    }

    /// Returns the merge patch from `from` to `to`; nil if no merge patch can express the change: it can't set a member to
    /// null, and can't remove the record.
    public static func diff(from: JSON?, to: JSON?) -> JSONMergePatch? {
        guard let to else { return nil }
        let changes = Changes.nested(from, to)
        guard !changes.isEmpty else { return JSONMergePatch(to.object == nil ? to : [:]) }
        return changes.mergePatch(of: 0).map(JSONMergePatch.init)
    }
}

extension Changes {
    /// Returns the merge patch of a change to some value, or nil if it would have to write null as a value.
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

    /// Whether an object, or an object inside it, has a member that is null; arrays are not searched.
    fileprivate var hasNullMember: Bool {
        guard let members = self.object else { return false }
        return members.contains { $0.value.isNull || $0.value.hasNullMember }
    }
}
