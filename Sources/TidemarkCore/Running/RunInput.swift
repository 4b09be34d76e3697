package import TidemarkJSON
package import TidemarkMachine

/// Something that the run loop is told.
package enum RunInput: Sendable {
    /// The app changed something of a collection: first at one time, and last at another.
    case edited(CodePointString, first: Duration, last: Duration)

    /// A sync of a collection began, whoever asked for it.
    case began(CodePointString)

    /// It ended.
    case ended(CodePointString, RunEnd)

    /// A sync that the loop started has let its task go.
    case returned(CodePointString)

    /// The app uses a collection for the first time.
    case named(CodePointString)

    /// A collection left the store.
    case forgotten(CodePointString)

    /// An exchange was carried out.
    case spent(requests: Int, bytes: Int)

    /// Credentials were renewed, or what was paused may go on.
    case renewed

    /// The app says whether there is a network.
    case connected(Bool)

    /// Something was heard by one who listens to hints.
    case heard(Int, HeardHints)

    /// A listening ended.
    case listened(Int, Result<HintsEnd, RemoteFailure>)

    /// A time came that the loop asked for.
    case alarm(Duration)
}
