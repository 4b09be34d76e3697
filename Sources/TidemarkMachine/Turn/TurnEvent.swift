/// Something that happened to the turn of a client.
package enum TurnEvent: String, CaseIterable, Sendable {
    /// Another client asks for the store.
    case asked

    /// The store may be handed over: the shortest turn is over, and no request is under way, or it has taken too long.
    case freed

    /// The client has opened the store again.
    case opened

    /// The app suspends the client.
    case suspended

    /// The client is closed.
    case closed
}
