/// The hash of a key's decoded bytes, as stored on tapes: fast for the short words that keys are, and with a secret that
/// differs in each process, so that an attacker can't choose keys that collide.
package enum KeyHash {
    private static let secret = KeyHash.chosen(1)
    private static let other = KeyHash.chosen(2)

    /// Swift's hash seed differs in each process, unless deterministic hashing is enabled to count instructions.
    private static func chosen(_ number: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        return UInt64(bitPattern: Int64(hasher.finalize())) | 1
    }

    /// The hash of a key.
    static func of(_ key: String) -> UInt32 {
        unsafe key.withBytes { unsafe KeyHash.of($0) }
    }

    /// The hash of decoded bytes.
    @inline(__always)
    static func of(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        guard let base = unsafe UnsafeRawPointer(bytes.baseAddress) else { return 0 }
        return unsafe KeyHash.of(base, bytes.count, Seed())
    }

    /// A hash of decoded bytes with more bits, to compare keys by it alone.
    package static func wide(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        guard let base = unsafe UnsafeRawPointer(bytes.baseAddress), !bytes.isEmpty else { return 0 }
        return unsafe KeyHash.wide(base, bytes.count, Seed())
    }

    /// The hash of the source of a string with escapes.
    static func ofEscaped(_ source: UnsafeBufferPointer<UInt8>) -> UInt32 {
        let decoded = unsafe ContiguousArray(JSONString.Decoding(source.makeIterator()))
        return unsafe decoded.withUnsafeBufferPointer { unsafe KeyHash.of($0) }
    }

    /// The secret, read once for many hashes.
    struct Seed {
        let first = KeyHash.secret
        let second = KeyHash.other
    }

    @inline(__always)
    static func of(_ base: UnsafeRawPointer, _ count: Int, _ seed: Seed) -> UInt32 {
        let hash = unsafe KeyHash.wide(base, count, seed)
        return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
    }

    @inline(__always)
    private static func wide(_ base: UnsafeRawPointer, _ count: Int, _ seed: Seed) -> UInt64 {
        var hash = seed.second
        var offset = 0
        while count &- offset > 16 {
            let (low, high) = unsafe (self.word(base, offset), self.word(base, offset &+ 8))
            hash = self.mix(low ^ seed.first, high ^ hash)
            offset &+= 16
        }
        let left = count &- offset
        var low: UInt64 = 0
        var high: UInt64 = 0
        if left >= 8 {
            unsafe (low, high) = (self.word(base, offset), self.word(base, count &- 8))
        } else if left >= 4 {
            unsafe low = UInt64(base.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            unsafe high = UInt64(base.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
        } else if left > 0 {
            unsafe low = UInt64(base.load(fromByteOffset: offset, as: UInt8.self))
            unsafe high = UInt64(base.load(fromByteOffset: offset &+ left &>> 1, as: UInt8.self)) &<< 8
            unsafe high |= UInt64(base.load(fromByteOffset: count &- 1, as: UInt8.self))
        }
        return self.mix(low ^ seed.first ^ UInt64(truncatingIfNeeded: count), high ^ hash)
    }

    @inline(__always)
    private static func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    @inline(__always)
    private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (high, low) = left.multipliedFullWidth(by: right)
        return high ^ low
    }
}
