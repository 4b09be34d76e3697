/// A JSON text and its nodes (the positions of its values) in one block of memory: the number of nodes, the nodes, the bytes of
/// the text.
///
/// It is immutable, and no key occurs twice in an object. A reference to any value of it keeps the whole tape in memory.
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
        // An initializer with uninitialized memory looks up the type of the array each time, which costs more.
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

    /// The tape for a missing value.
    static let empty = Tape(words: [0])

    /// The size in memory.
    var byteCount: Int { self.words.count * MemoryLayout<UInt64>.stride }

    /// Passes a view of the tape to `body`, valid only during the call.
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
