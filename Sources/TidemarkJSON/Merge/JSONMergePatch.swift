/// A change of a JSON document written as a document, after RFC 7396: members that are null are taken away.
///
/// It cannot say "set to null" nor change one element of an array; a `JSONPatch` can. Tidemark reads it where people
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
    public init(parsing bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
        self.init(try JSON(parsing: bytes, limits: limits))
    }

    /// The document after the patch (RFC 7396 section 2); nil is "there is no record", over which it makes one.
    ///
    /// Members that are not touched keep their place and their text; new members go to the end.
    public func apply(to document: JSON?) -> JSON {
        var document = document ?? .null
        document.merge(self.json)
        return document
    }

    /// The merge patch that makes `to` of `from`, or nil where there is none: a member that has to become null cannot
    /// be written, nor can "there is no record".
    public static func diff(from: JSON?, to: JSON?) -> JSONMergePatch? {
        guard let to else { return nil }
        guard let change = Change.nested(from, to) else { return JSONMergePatch(to.object == nil ? to : [:]) }
        return change.mergePatch(to: to).map(JSONMergePatch.init)
    }
}

extension Change {
    /// The merge patch of a change to `after`, or nil where null would have to be written as a value.
    fileprivate func mergePatch(to after: JSON) -> JSON? {
        switch self {
        case .whole:
            return after.hasNullMember ? nil : after
        case .members(let members):
            var patch = JSONObject()
            for (key, change) in members {
                guard let value = after.child(key) else {
                    patch[key] = JSON.null
                    continue
                }
                guard !value.isNull, let member = change.mergePatch(to: value) else { return nil }
                patch[key] = member
            }
            return .object(patch)
        }
    }
}

extension JSON {
    /// RFC 7396 section 2, `MergePatch`, in place.
    fileprivate mutating func merge(_ patch: JSON) {
        guard case .object(let changes) = patch else {
            self = patch
            return
        }
        var members = self.object ?? [:]
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
        self = .object(members)
    }

    /// Whether an object, or an object inside of it, has a member that is null; arrays are taken as they are.
    fileprivate var hasNullMember: Bool {
        guard case .object(let members) = self else { return false }
        return members.contains { $0.value.isNull || $0.value.hasNullMember }
    }
}
