import Foundation

/// nlohmann/json, through the small library that `scripts/bench` compiles. It runs in this process, so that both sides use the
/// same memory in turn.
@safe final class Nlohmann {
    private typealias Prepare =
        @convention(c) (
            UnsafePointer<CChar>, UnsafePointer<UInt8>, Int, UnsafePointer<UInt8>, Int, UnsafePointer<UInt8>, Int
        ) -> OpaquePointer?
    private typealias Run = @convention(c) (OpaquePointer) -> Int

    private let run: Run
    private let free: Run
    private let work: OpaquePointer

    /// - Parameters:
    ///   - operation: `parse`, `diff`, `apply` or `merge`; or one of the tool's, such as `tool-merge`, which parses its texts
    ///     each time.
    ///   - texts: A text to parse, or up to three texts with a record on each line: base, client or patch, server.
    init(_ operation: String, _ texts: [[UInt8]], library path: String) throws {
        guard let library = unsafe dlopen(path, RTLD_NOW), let prepare = unsafe dlsym(library, "peer_prepare"),
            let run = unsafe dlsym(library, "peer_run"), let free = unsafe dlsym(library, "peer_free")
        else { throw Unavailable("the library with nlohmann/json at \(path) can't be used") }
        unsafe self.run = unsafe unsafeBitCast(run, to: Run.self)
        unsafe self.free = unsafe unsafeBitCast(free, to: Run.self)
        let texts = texts + Array(repeating: [], count: 3 - texts.count)
        let prepared = unsafe texts[0].withUnsafeBufferPointer { one in
            unsafe texts[1].withUnsafeBufferPointer { two in
                unsafe texts[2].withUnsafeBufferPointer { three -> OpaquePointer? in
                    guard let first = one.baseAddress else { return nil }
                    return unsafe unsafeBitCast(prepare, to: Prepare.self)(
                        operation, first, one.count, two.baseAddress ?? first, two.count, three.baseAddress ?? first,
                        three.count)
                }
            }
        }
        guard let prepared = unsafe prepared else { throw Unavailable("nlohmann/json refuses the text") }
        unsafe self.work = prepared
    }

    deinit { _ = unsafe self.free(self.work) }

    /// Runs the operation once.
    func callAsFunction() {
        keep(unsafe self.run(self.work))
    }
}
