package import TidemarkJSON

/// What was heard of a server's hints and has not been looked at: of each collection only the last hint is kept, so that it needs
/// no more room however much is heard.
package struct HeardHints: Sendable {
    /// How many events there were.
    private(set) var events = 1

    /// How many bytes came.
    private(set) var bytes = 0

    /// Whether the server gave a sign of life.
    private(set) var isAlive = false

    /// How far the collections have moved, as far as the server says.
    private(set) var moved: [CodePointString: String?] = [:]

    /// One event.
    ///
    /// - Parameter known: The collections that are listened for. An event about another one is only a sign of life.
    package init(_ hint: RemoteHint, among known: Set<CodePointString>) {
        switch hint {
        case .alive: self.isAlive = true
        case .received(let bytes): self.bytes = max(bytes, 0)
        case .moved(let collection, let watermark):
            self.isAlive = true
            let name = CodePointString(collection)
            if known.contains(name) { self.moved.updateValue(watermark, forKey: name) }
        }
    }

    /// Adds what was heard later.
    mutating func add(_ later: HeardHints) {
        self.events += later.events
        self.bytes += later.bytes
        self.isAlive = self.isAlive || later.isAlive
        self.moved.merge(later.moved) { $1 }
    }
}
