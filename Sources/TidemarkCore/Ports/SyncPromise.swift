/// What a client promises over a server, by the names of SPEC §7.
public enum SyncPromise: String, CaseIterable, Hashable, Sendable, Comparable {
    /// No write the server acknowledged is lost without a reported conflict.
    case i1

    /// No local edit disappears but by acknowledgement, verdict or resignation.
    case i2

    /// When all is quiet, every device shows what the server has.
    case i3

    /// What is kept as confirmed is, byte for byte, what the server sent.
    case i4

    /// An upload never changes until it is settled.
    case i5

    /// The watermark never passes a row that was not applied.
    case i6

    /// What happens to a record has exactly one outcome.
    case i7

    /// Without new input the number of requests is bounded.
    case i8

    /// Losing, repeating or delaying a message changes nothing in the end.
    case i9

    /// Killed at any moment, a client recovers.
    case i10

    /// A create that was given up is not left on the server.
    case i11

    /// As people write it: `I1` … `I11`.
    public var name: String { self.rawValue.uppercased() }

    /// The order of SPEC §7.
    public static func < (left: SyncPromise, right: SyncPromise) -> Bool { left.number < right.number }

    private var number: Int { Int(self.rawValue.dropFirst()) ?? 0 }
}

extension SyncPromise {
    /// How far a promise is kept over a server.
    public enum Standing: Hashable, Sendable {
        /// Always.
        case kept

        /// Kept but for what happens within some time, with the reason.
        case within(Duration, String)

        /// Not always; and where it is not, that is reported or journalled. With the reason.
        case reported(String)

        /// Not promised, with the reason.
        case notKept(String)
    }
}
