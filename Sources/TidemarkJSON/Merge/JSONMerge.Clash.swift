extension JSONMerge {
    /// A path where one side's value lost in a merge, whatever decided it (Contract §4). A side of nil has no value at the path.
    public struct Clash: Sendable, Hashable {
        /// Whose value is in the merged document.
        public enum Winner: Sendable, Hashable {
            /// The client's.
            case client
            /// The server's.
            case server
            /// Neither side's value: a rule made another one.
            case value
            /// The user has to decide; until then the client's.
            case undecided
        }

        /// The path where the two sides differ.
        public let path: JSONPointer

        /// The value that both sides started from.
        public let base: JSON?

        /// The server's value.
        public let server: JSON?

        /// The client's value.
        public let client: JSON?

        /// Whose value is in the merged document.
        public let winner: Winner

        /// Makes a clash, for a decision that lists its own clashes.
        public init(path: JSONPointer, base: JSON?, server: JSON?, client: JSON?, winner: Winner) {
            self.path = path
            self.base = base
            self.server = server
            self.client = client
            self.winner = winner
        }

        /// `{"path","base","server","client"}`; the member of a side without a value is left out.
        public var json: JSON {
            var object: JSONObject = ["path": .string(JSONString(self.path.text))]
            object["base"] = self.base
            object["server"] = self.server
            object["client"] = self.client
            return .object(object)
        }
    }
}
