/// The decision on an edit by the versions alone: W1 and W7 as a table, without any data.
enum EditVerdict {
    /// Stores the client's record: there is no row, or the client knew it.
    case create
    /// Applies the client's patch to the row that it knew.
    case patch
    /// Replaces the row that the client knew by a tombstone.
    case delete
    /// Nothing to do: the record to delete does not exist.
    case settled
    /// The client did not know the current row.
    case conflicted

    /// The current row, and whether the edit names its version.
    enum RowState {
        case missing(isNamed: Bool)
        case tombstone(isNamed: Bool)
        case live(isNamed: Bool)

        init(_ version: Edit.Version, row: ServerRow?) {
            switch (row, version) {
            case (nil, .unnamed): self = .missing(isNamed: false)
            case (nil, .named): self = .missing(isNamed: true)
            case (let row?, let version) where row.data == nil:
                self = .tombstone(isNamed: version.isNamed(row.updatedAt))
            case (let row?, let version):
                self = .live(isNamed: version.isNamed(row.updatedAt))
            }
        }
    }

    init(_ change: Edit.Change, _ row: RowState) {
        switch (change, row) {
        // The edit names a version, but there is no row: the client knew one, and it was purged.
        case (.created, .missing(isNamed: false)): self = .create
        case (.created, .missing(isNamed: true)): self = .conflicted
        case (.created, .tombstone(isNamed: true)): self = .create
        case (.created, .tombstone(isNamed: false)): self = .conflicted
        // Rare but valid: the edit names the row's version, so the client knows the row that it replaces.
        case (.created, .live(isNamed: true)): self = .create
        case (.created, .live(isNamed: false)): self = .conflicted
        case (.edited, .missing), (.edited, .tombstone): self = .conflicted
        case (.edited, .live(isNamed: true)): self = .patch
        case (.edited, .live(isNamed: false)): self = .conflicted
        case (.deleted, .missing), (.deleted, .tombstone): self = .settled
        case (.deleted, .live(isNamed: true)): self = .delete
        case (.deleted, .live(isNamed: false)): self = .conflicted
        }
    }
}
