package import TidemarkJSON

/// The events from a server's change notifications that the run loop has not processed. Of each collection only the last
/// notification is kept, so that the size stays bounded.
package struct HeardHints: Sendable {
    /// The number of events.
    private(set) var events = 1

    /// The number of received bytes.
    private(set) var bytes = 0

    /// Whether the server has shown that the connection works.
    private(set) var isAlive = false

    /// The newest cursors of the changed collections, as far as the server reports them.
    private(set) var moved: [CodePointString: String?] = [:]

    /// Makes a value of one event.
    ///
    /// - Parameter known: The watched collections. An event about another collection only shows that the connection
    ///   works.
    package init(_ hint: RemoteHint, among known: Set<CodePointString>) {
        switch hint {
        case .alive: self.isAlive = true
        case .received(let bytes): self.bytes = max(bytes, 0)
        case .moved(let collection, let cursor):
            self.isAlive = true
            let name = CodePointString(collection)
            if known.contains(name) { self.moved.updateValue(cursor, forKey: name) }
        }
    }

    /// Adds later events.
    mutating func add(_ later: HeardHints) {
        self.events += later.events
        self.bytes += later.bytes
        self.isAlive = self.isAlive || later.isAlive
        self.moved.merge(later.moved) { $1 }
    }
}
