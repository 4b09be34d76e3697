/// One thing that the loop has to do after a transition.
package enum RunAction: UInt32, CaseIterable, Hashable, Sendable {
    /// Start a sync of the collection.
    case sync

    /// Cancel the sync that the loop started.
    case cancel

    /// Set the timer to ``RunMachine/alarm``, or stop it if that is nil.
    case wake

    /// Publish the status of the collection: the user sees a difference.
    case publish

    /// Every action, in the order in which they are carried out.
    package static let inOrder = Self.allCases
}

/// The actions of the loop after a transition.
package typealias RunActions = ActionSet<RunAction>

extension RunActions {
    package static var sync: Self { Self(.sync) }
    package static var cancel: Self { Self(.cancel) }
    package static var wake: Self { Self(.wake) }
    package static var publish: Self { Self(.publish) }
}
