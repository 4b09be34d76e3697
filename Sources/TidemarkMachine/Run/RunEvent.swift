/// Something that happened to a collection of the run loop. The state of network, budget and notifications is
/// classified before the table, so that it is an arrow in the diagram.
package enum RunEvent: String, CaseIterable, Sendable {
    /// The loop started, or a collection was added to it.
    case began

    /// The app made an edit that is to be sent.
    case edited

    /// A change notification names a version that is not here.
    case hinted

    /// A change notification names a version that is here: notifications may be repeated, late and out of order.
    case hintedKnown

    /// Change notifications are connected, beginning with the server's present state.
    case hintsConnected

    /// The connection for change notifications is lost.
    case hintsLost

    /// The timer fired, and a sync may start.
    case timerFired

    /// The timer fired when it is no longer needed, or while no sync may start.
    case timerFiredEarly

    /// The network was lost, or only the reserve of the budget is left: no sync may start that only polls. Own edits are sent
    /// while there is a network and a reserve (``RunAllowance/ownEdits``).
    case blocked

    /// The network is connected again, and a sync may start. Changes on the server meanwhile were not noticed.
    case connected

    /// The budget is renewed, and a sync may start.
    case budgetRenewed

    /// Network or budget changed, or were reported again, and this does not change whether a sync may start.
    case asBefore

    /// The app started a sync.
    case joined

    /// A sync ended with nothing left to send or to fetch, and change notifications are connected.
    case endedListening

    /// A sync ended with nothing left to send or to fetch, and there are no change notifications.
    case endedPolling

    /// A sync ended, and during it there was an edit, a change notification or a renewal of credentials that it did not
    /// include.
    case endedWithMore

    /// A sync ended, and the next one is due at a later time.
    case endedToWait

    /// A sync ended because the server or a proxy rejected the credentials, or because there is no server at the URL.
    case endedByAccess

    /// A sync ended, and only the app can resume it.
    case endedForGood

    /// A sync ended while the loop stops.
    case endedAtLast

    /// The app renewed its credentials, or resumed a paused collection.
    case renewed

    /// The loop was stopped.
    case stopped
}
