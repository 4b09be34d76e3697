import CYajl
import TidemarkJSON

/// One run of yajl over a whole text, stricter than yajl itself.
///
/// yajl checks the grammar. Errors that it accepts are checked separately: the encoding before the run, surrogate escapes and
/// the depth in the callbacks. Its error messages are vague, so a text that it refuses is read again onto a tape.
@unsafe struct YajlParser: ~Copyable {
    /// The text.
    let input: UnsafeBufferPointer<UInt8>

    private let handle: yajl_handle
    private let callbacks: UnsafeMutablePointer<yajl_callbacks>

    /// Prepares a run with callbacks that receive `context`. Returns nil if the memory is exhausted.
    init?(_ input: UnsafeBufferPointer<UInt8>, callbacks: yajl_callbacks, context: UnsafeMutableRawPointer) {
        // yajl keeps the pointer to its callbacks as long as it lives.
        let kept = UnsafeMutablePointer<yajl_callbacks>.allocate(capacity: 1)
        unsafe kept.initialize(to: callbacks)
        guard let handle = unsafe yajl_alloc(kept, nil, context) else {
            unsafe kept.deallocate()
            return nil
        }
        _ = unsafe tidemark_yajl_trust_utf8(handle)
        unsafe self.input = input
        unsafe self.handle = handle
        unsafe self.callbacks = kept
    }

    deinit {
        unsafe yajl_free(self.handle)
        unsafe self.callbacks.deallocate()
    }

    /// The values from which the callbacks find a token in the text.
    var tokens: YajlTokens {
        unsafe YajlTokens(input: self.input, handle: self.handle)
    }

    /// Reads the whole text; false if a callback stopped or the grammar was broken.
    func run() -> Bool {
        guard let base = unsafe self.input.baseAddress else { return false }
        guard unsafe yajl_parse(self.handle, base, self.input.count) == yajl_status_ok else { return false }
        return unsafe yajl_complete_parse(self.handle) == yajl_status_ok
    }

    /// Whether only white space follows the value. yajl accepts an unclosed string there.
    static func isSpace(_ input: UnsafeBufferPointer<UInt8>, from offset: Int) -> Bool {
        unsafe input[offset...].allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }
}
