import FuzzSubjects

/// The function that libFuzzer calls with each input. It exits 0 always: a law that is broken ends the process, and that is
/// what libFuzzer reports.
@_cdecl("LLVMFuzzerTestOneInput")
public func examineOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    Subject.chosen.examine(input)
    return 0
}
