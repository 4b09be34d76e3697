import CYajl
import TidemarkJSON

/// The position of the current callback's token in the text.
@unsafe struct YajlTokens {
    let input: UnsafeBufferPointer<UInt8>
    let handle: yajl_handle

    /// The offset after the token. It is invalid for a number that ends the text, which yajl reports only at the end of the
    /// text; a page ends in a bracket.
    @inline(__always)
    var end: Int {
        unsafe yajl_get_bytes_consumed(self.handle)
    }

    /// The source of a string or key, without its quotes, or nil if it has an unpaired surrogate.
    ///
    /// yajl passes a pointer into the text unless the string has escapes; then the pointer is to its own decoded copy, and the
    /// source is found backwards from the closing quote: only the opening quote has no backslash before it.
    @inline(__always)
    func source(ofString pointer: UnsafePointer<UInt8>?, length: Int) -> Range<Int>? {
        if let pointer = unsafe pointer, let base = unsafe self.input.baseAddress {
            let offset = Int(bitPattern: pointer) &- Int(bitPattern: base)
            if unsafe offset >= 0 && offset < self.input.count {
                return offset..<offset &+ length
            }
        }
        return unsafe self.escapedSource()
    }

    @inline(never)
    private func escapedSource() -> Range<Int>? {
        let closing = unsafe self.end - 1
        var start = closing
        while start > 0 {
            let isOpening = unsafe self.input[start - 1] == UInt8(ascii: "\"")
            if unsafe isOpening && (start < 2 || self.input[start - 2] != UInt8(ascii: "\\")) {
                break
            }
            start -= 1
        }
        let source = unsafe UnsafeBufferPointer(rebasing: self.input[start..<closing])
        return unsafe JSONString.isWellFormed(source) ? start..<closing : nil
    }
}
