/// A value that lost, with why, so that it can be brought back (SPEC §1).
public struct JournalEntry: Hashable, Sendable {
    /// Why a value lost.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// The name, as it is stored and printed.
        public let name: String

        /// Makes a reason of an app's own, or one that was stored.
        public init(_ name: String) {
            self.name = name
        }

        /// The name.
        public var description: String { self.name }

        /// The server's side was taken.
        public static let takeServer = Reason("take-server")

        /// The client's side was taken.
        public static let takeClient = Reason("take-client")

        /// Both sides were merged, and one value had to give way.
        public static let merge = Reason("merge")

        /// The local change was given up.
        public static let resign = Reason("resign")

        /// The server refused the local change, and the app's policy gave it up.
        public static let rejected = Reason("rejected")

        /// The server had confirmed the value, and lost it when it went back to an earlier state (SPEC §6).
        public static let serverWentBack = Reason("server-went-back")

        /// A value that was brought back, among many, took its place.
        public static let restore = Reason("restore")

        /// The reasons that the library gives.
        public static let known: [Reason] = [
            .takeServer, .takeClient, .merge, .resign, .rejected, .serverWentBack, .restore,
        ]
    }

    /// Which side lost.
    public enum Side: String, Hashable, Sendable {
        /// What was changed here.
        case client

        /// What was changed elsewhere.
        case server
    }

    /// The number of the entry in its store; 0 before the store has given it one.
    public var number: Int64

    /// The record.
    public var pk: String

    /// Why it lost.
    public var reason: Reason

    /// Which side lost.
    public var lost: Side

    /// The JSON pointer of the value (RFC 6901); "" for the whole record.
    public var path: String

    /// The JSON text of the value that lost; nil when what lost was a removal.
    public var value: [UInt8]?

    /// The version of the server's row at the time, as JSON text; nil when there was none.
    public var stamp: String?

    /// Makes an entry.
    public init(
        number: Int64 = 0, pk: String, reason: Reason, lost: Side, path: String, value: [UInt8]?, stamp: String?
    ) {
        self.number = number
        self.pk = pk
        self.reason = reason
        self.lost = lost
        self.path = path
        self.value = value
        self.stamp = stamp
    }
}

extension JournalEntry {
    /// What lost, as a sentence without its end: `the client's value at /price lost: 2`.
    package var sentence: String {
        let side = "the \(self.lost.rawValue)'s"
        let place = self.path.isEmpty ? "the record" : self.path
        guard let value = self.value else { return "\(side) removal of \(place) lost" }
        let what = self.path.isEmpty ? "record" : "value at \(place)"
        return "\(side) \(what) lost: \(String(decoding: value, as: UTF8.self))"
    }
}
