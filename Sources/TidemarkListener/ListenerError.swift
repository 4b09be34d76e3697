/// Why the listener could not start.
public struct ListenerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure; open, so that a later version can add to it.
    public struct Code: Sendable, Hashable {
        /// The name of the kind, as it is shown.
        public let name: String

        /// A kind of failure with this name.
        public init(_ name: String) {
            self.name = name
        }

        /// The address is none of this machine's, or can't be read.
        public static let address = Code("address")
        /// Somebody else listens there.
        public static let portInUse = Code("portInUse")
        /// The system does not allow it.
        public static let notAllowed = Code("notAllowed")
        /// The certificate or the key is of no use, or TLS can't be spoken here.
        public static let identity = Code("identity")
        /// Anything else.
        public static let failed = Code("failed")
    }

    /// The kind of failure.
    public let code: Code
    /// What was wrong, where, and what to do.
    public let message: String

    /// An error of this kind with this message.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { self.message }
}
