/// One thing that the loop has to do after a transition. After each input it also sets its timer to the earliest
/// ``RunMachine/alarm``.
package enum RunAction: UInt32, CaseIterable, Hashable, Sendable {
    /// Start a sync of the collection.
    case sync

    /// Publish the status of the collection: the user sees a difference.
    case publish

    /// Every action, in the order in which they are carried out.
    package static let inOrder = Self.allCases
}

/// The actions of the loop after a transition.
package typealias RunActions = ActionSet<RunAction>

extension RunActions {
    package static var sync: Self { Self(.sync) }
    package static var publish: Self { Self(.publish) }
}
