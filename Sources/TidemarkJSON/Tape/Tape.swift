/// A text and the places of its values in one block of memory: how many nodes there are, the nodes, the bytes.
///
/// It is never changed, and no key comes twice in an object. Whoever holds a value of it holds the whole.
struct Tape: Sendable {
    private let words: ContiguousArray<UInt64>

    private static let wordsOfNode = MemoryLayout<TapeNode>.stride / MemoryLayout<UInt64>.stride

    private init(words: ContiguousArray<UInt64>) {
        self.words = words
    }

    /// Copies nodes and bytes.
    init(nodes: UnsafeBufferPointer<TapeNode>, bytes: UnsafeBufferPointer<UInt8>) {
        let header = 1 + nodes.count * Tape.wordsOfNode
        let count = header + (bytes.count + 7) / 8
        // An initializer that leaves the room as it is looks the type of the array up each time, which costs more.
        var words = ContiguousArray<UInt64>()
        words.reserveCapacity(count)
        words.append(contentsOf: repeatElement(0, count: count))
        words[0] = UInt64(nodes.count)
        unsafe words.withUnsafeMutableBytes { raw in
            unsafe UnsafeMutableRawBufferPointer(rebasing: raw[8...]).copyMemory(from: UnsafeRawBufferPointer(nodes))
            unsafe UnsafeMutableRawBufferPointer(rebasing: raw[(8 * header)...])
                .copyMemory(from: UnsafeRawBufferPointer(bytes))
        }
        self.words = words
    }

    /// What stands where there is no value.
    static let ofNothing = Tape(words: [0])

    /// How much memory it takes.
    var byteCount: Int { self.words.count * MemoryLayout<UInt64>.stride }

    /// Lets `body` look at the tape, and no longer than that.
    @inline(__always)
    func read<Result>(_ body: (TapeView) -> Result) -> Result {
        unsafe self.words.withUnsafeBufferPointer { words in
            let base = unsafe UnsafeRawPointer(words.baseAddress.unsafelyUnwrapped)
            let bytes = unsafe base + 8 * (1 + Int(words[0]) * Tape.wordsOfNode)
            return unsafe body(
                TapeView(
                    nodes: (base + 8).assumingMemoryBound(to: TapeNode.self),
                    bytes: bytes.assumingMemoryBound(to: UInt8.self)))
        }
    }
}
