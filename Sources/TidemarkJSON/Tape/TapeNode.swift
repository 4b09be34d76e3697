/// One entry of a tape: a value, a key, or the head of an index block.
///
/// The values of a text follow one another in the order of the text: an array is followed by its elements, an object by its
/// members, each a key and its value. ``link`` skips the contents of a value, so that a walk of a level does not read the
/// levels below. Links are relative to their own node, so that a run of nodes can be copied.
struct TapeNode: Sendable, BitwiseCopyable {
    /// The start of the token in the bytes of the tape; for a string its opening quote.
    var start: UInt32

    /// The end of the token.
    var end: UInt32

    /// The number of nodes to the next value of the same level. A key, whose value is the next node, has its hash here.
    var link: UInt32

    /// The kind in the lowest three bits, three flags, and the count of an array or object.
    var info: UInt32

    /// The kind of a node.
    enum Kind {
        static let null: UInt32 = 0
        static let `false`: UInt32 = 1
        static let `true`: UInt32 = 2
        static let number: UInt32 = 3
        static let string: UInt32 = 4
        static let array: UInt32 = 5
        static let object: UInt32 = 6
        /// The head of an index block after the last element or member; its link counts the nodes of the block.
        static let index: UInt32 = 7

        static let mask: UInt32 = 7
    }

    /// The flags that a scan finds. The meaning of the bits depends on the kind.
    enum Flag {
        /// A number: digits with at most a minus sign before them, and not `-0`. Two of them are equal only if their
        /// bytes are.
        static let plainInteger: UInt32 = 8
        /// A number: there is an exponent.
        static let exponent: UInt32 = 16
        /// A string: there is an escape.
        static let escapes: UInt32 = 8
        /// A string: there is a character beyond ASCII.
        static let beyondASCII: UInt32 = 16
        /// An array or object: there is white space inside, so that its bytes are not its compact text.
        static let loose: UInt32 = 8
        /// An array or object: an index block follows its last child.
        static let indexed: UInt32 = 16
    }

    /// The bit position of the count in ``info``.
    static let countShift: UInt32 = 6

    /// The maximum number of elements or members.
    static let countLimit = 1 << 26 - 1

    /// The kind alone.
    var kind: UInt32 { self.info & Kind.mask }

    /// The number of elements or members.
    var count: Int { Int(self.info >> TapeNode.countShift) }

    /// How many bytes the token has.
    var length: Int { Int(self.end &- self.start) }

    /// Whether this value has only one spelling.
    @inline(__always)
    var isSpelledOneWay: Bool {
        switch self.kind {
        case Kind.string: !self.has(Flag.escapes)
        case Kind.number: self.has(Flag.plainInteger)
        default: self.kind < Kind.number
        }
    }

    /// Whether a flag is set.
    @inline(__always)
    func has(_ flag: UInt32) -> Bool { self.info & flag != 0 }
}
