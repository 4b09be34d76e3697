/// One thing that the loop has to do after a transition.
package enum RunAction: UInt8, CaseIterable, Hashable, Sendable {
    /// Start a sync of the collection.
    case sync

    /// Cancel the sync that the loop has started.
    case cancel

    /// Set the alarm to ``RunMachine/alarm``, or off where that is nil.
    case wake

    /// Say how the collection stands: a person sees a difference.
    case say

    /// Every action, in the order in which they are carried out.
    package static let inOrder = Self.allCases
}

/// What the loop has to do after a transition, in one fixed order.
package struct RunActions: OptionSet, Hashable, Sendable {
    /// One bit for each action.
    package let rawValue: UInt8

    /// Makes a set from its bits.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    private init(_ action: RunAction) {
        self.init(rawValue: 1 << action.rawValue)
    }

    /// Whether an action is among them.
    package func has(_ action: RunAction) -> Bool {
        self.contains(RunActions(action))
    }

    /// ``RunAction/sync``
    package static let sync = RunActions(.sync)

    /// ``RunAction/cancel``
    package static let cancel = RunActions(.cancel)

    /// ``RunAction/wake``
    package static let wake = RunActions(.wake)

    /// ``RunAction/say``
    package static let say = RunActions(.say)
}

extension RunActions: CustomStringConvertible {
    /// The names, in the order in which they are carried out.
    package var description: String {
        RunAction.inOrder.filter { self.has($0) }.map { "\($0)" }.joined(separator: ", ")
    }
}
