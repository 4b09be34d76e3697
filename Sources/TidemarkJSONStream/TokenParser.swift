import CYajl
import TidemarkJSON

/// yajl, and the walk over the tokens that it reports.
@safe final class TokenParser {
    private let handle: yajl_handle
    private let callbacks: UnsafeMutablePointer<yajl_callbacks>
    /// At an address that yajl gets. As a variable of this class, each access to it would be checked while the program runs.
    private let memory: UnsafeMutablePointer<TokenWalk>

    var walk: TokenWalk {
        _read { yield unsafe self.memory.pointee }
        _modify { yield unsafe &self.memory.pointee }
    }

    init(_ kind: JSONStreamContent.Kind, limits: JSON.Limits) {
        unsafe self.memory = .allocate(capacity: 1)
        // yajl keeps the pointer to its callbacks.
        unsafe self.callbacks = .allocate(capacity: 1)
        unsafe self.callbacks.initialize(to: TokenWalk.calls)
        guard let handle = unsafe yajl_alloc(self.callbacks, nil, self.memory) else {
            preconditionFailure("yajl has no memory for a parser")
        }
        unsafe self.handle = handle
        unsafe self.memory.initialize(to: TokenWalk(kind, limits: limits, handle))
        _ = unsafe tidemark_yajl_trust_utf8(handle)
        if kind == .values { _ = unsafe tidemark_yajl_allow_multiple_values(handle) }
    }

    deinit {
        unsafe yajl_free(self.handle)
        unsafe self.callbacks.deallocate()
        unsafe self.memory.deinitialize(count: 1)
        unsafe self.memory.deallocate()
    }

    /// Reads a piece of the text; see ``TokenWalk/begin(_:of:from:)``.
    ///
    /// - Returns: False if there is an error: that of the walk, or one of the grammar.
    func read(_ piece: Range<Int>, of input: UnsafeBufferPointer<UInt8>, from inputStart: Int) -> Bool {
        unsafe self.walk.begin(piece, of: input, from: inputStart)
        let start = unsafe input.baseAddress.map { unsafe $0 + (piece.lowerBound - inputStart) }
        guard unsafe yajl_parse(self.handle, start, piece.count) == yajl_status_ok else { return false }
        self.walk.passSeparators(upTo: piece.upperBound)
        return true
    }

    /// Ends the text.
    ///
    /// - Parameters:
    ///   - input: The bytes from the checkpoint to the end.
    ///   - inputStart: The offset of the first of them.
    /// - Returns: False if there is an error.
    func complete(_ input: UnsafeBufferPointer<UInt8>, from inputStart: Int) -> Bool {
        let end = inputStart + input.count
        unsafe self.walk.begin(end..<end, of: input, from: inputStart)
        let isComplete = unsafe yajl_complete_parse(self.handle) == yajl_status_ok
        return self.walk.complete(at: end, isComplete: isComplete)
    }
}
