/// Which syncs the budget of an hour allows to start.
package enum RunAllowance: CaseIterable, Hashable, Sendable {
    /// Any sync.
    case everything

    /// All but the reserve is spent: a sync that sends what was edited here, and another try of one that failed.
    case ownEdits

    /// No sync.
    case nothing
}
