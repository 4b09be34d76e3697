/// A text and the places of its values in one block of memory: how many nodes there are, the nodes, the bytes.
///
/// It is never changed, and no key comes twice in an object. Whoever holds a value of it holds the whole.
struct Tape: Sendable {
    private let words: ContiguousArray<UInt64>

    private static let wordsOfNode = MemoryLayout<TapeNode>.stride / MemoryLayout<UInt64>.stride

    /// Copies nodes and bytes.
    init(nodes: UnsafeBufferPointer<TapeNode>, bytes: UnsafeBufferPointer<UInt8>) {
        let header = 1 + nodes.count * Tape.wordsOfNode
        self.words = unsafe ContiguousArray(unsafeUninitializedCapacity: header + (bytes.count + 7) / 8) {
            words, count in
            count = words.count
            unsafe words[0] = UInt64(nodes.count)
            // The last word may be filled in part only.
            unsafe words[count - 1] = count == 1 ? words[0] : 0
            let raw = UnsafeMutableRawBufferPointer(words)
            unsafe UnsafeMutableRawBufferPointer(rebasing: raw[8...]).copyMemory(from: UnsafeRawBufferPointer(nodes))
            unsafe UnsafeMutableRawBufferPointer(rebasing: raw[(8 * header)...])
                .copyMemory(from: UnsafeRawBufferPointer(bytes))
        }
    }

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
