import CSystem

/// A file of a few lines, such as those of the kernel.
enum SmallFile {
    /// The text of the file; empty if it can't be read.
    static func text(_ path: String) -> String {
        guard let file = unsafe fopen(path, "r") else { return "" }
        defer { unsafe fclose(file) }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
            unsafe count = fread(buffer.baseAddress, 1, buffer.count, file)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
