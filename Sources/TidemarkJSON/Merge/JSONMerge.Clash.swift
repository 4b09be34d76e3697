extension JSONMerge {
    /// A path where one side's value lost in a merge, whoever decided (SPEC §4). A side of nil has no value there.
    public struct Clash: Sendable, Hashable {
        /// Whose value stands in the merged document.
        public enum Winner: Sendable, Hashable {
            /// The client's.
            case client
            /// The server's.
            case server
            /// Neither side's as it was: a rule made another.
            case value
            /// A person has to decide; until then the client's.
            case undecided
        }

        /// Where the two sides differ.
        public let path: JSONPointer

        /// The value both sides started from.
        public let base: JSON?

        /// The value the server has.
        public let server: JSON?

        /// The value the client has.
        public let client: JSON?

        /// Whose value stands.
        public let winner: Winner

        /// Makes a clash, for a decision that lists its own.
        public init(path: JSONPointer, base: JSON?, server: JSON?, client: JSON?, winner: Winner) {
            self.path = path
            self.base = base
            self.server = server
            self.client = client
            self.winner = winner
        }

        /// `{"path","base","server","client"}`; a side without a value leaves its member out.
        public var json: JSON {
            var object: JSONObject = ["path": .string(JSONString(self.path.text))]
            object["base"] = self.base
            object["server"] = self.server
            object["client"] = self.client
            return .object(object)
        }
    }
}
