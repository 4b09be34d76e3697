/// What the versions alone say about an edit: SPEC W1 and W7 as a table, without a look at any data.
enum EditVerdict {
    /// Puts the client's record where none is, or where it knew the one that is.
    case create
    /// Applies the client's patch to the row it knew.
    case patch
    /// Makes a tombstone of the row it knew.
    case delete
    /// There is nothing to do: what is to be deleted is not there.
    case settled
    /// The client did not know the present row.
    case conflicted

    /// How the edit's version stands to what is there.
    enum Standing {
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

    init(_ change: Edit.Change, _ standing: Standing) {
        switch (change, standing) {
        // A version that is named where no row is: the client knew one, and it was purged.
        case (.created, .missing(isNamed: false)): self = .create
        case (.created, .missing(isNamed: true)): self = .conflicted
        case (.created, .tombstone(isNamed: true)): self = .create
        case (.created, .tombstone(isNamed: false)): self = .conflicted
        // Rare, but lawful: the version is the row's, so the client knows what it replaces.
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
