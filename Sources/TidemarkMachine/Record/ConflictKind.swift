/// How the two sides changed the record (Contract §4).
public enum ConflictKind: String, CaseIterable, Hashable, Sendable {
    /// Changed here and on the server.
    case editEdit = "edit/edit"

    /// Changed here, deleted on the server.
    case editDelete = "edit/delete"

    /// Deleted here, changed on the server.
    case deleteEdit = "delete/edit"

    /// Created here and on the server under the same pk.
    case createCreate = "create/create"
}
