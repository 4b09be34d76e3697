/// Why the listener could not start.
public struct ListenerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure; open, so that a later version can add to it.
    public struct Code: Sendable, Hashable {
        /// The name of the kind, as messages show it.
        public let name: String

        /// A kind of failure with this name.
        public init(_ name: String) {
            self.name = name
        }

        /// The address is malformed, or not one of this machine's.
        public static let address = Code("address")
        /// Another program listens on this port.
        public static let portInUse = Code("portInUse")
        /// The system does not allow it.
        public static let notAllowed = Code("notAllowed")
        /// The certificate or the key is unusable, or TLS is unavailable.
        public static let identity = Code("identity")
        /// Anything else.
        public static let failed = Code("failed")
    }

    /// The kind of failure.
    public let code: Code
    /// The error, its place, and how to correct it.
    public let message: String

    /// An error of this kind with this message.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { self.message }
}
