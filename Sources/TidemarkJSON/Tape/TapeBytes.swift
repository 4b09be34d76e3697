/// The bytes of a tape while it is built. They are in borrowed memory, and on the heap when they outgrow it.
@safe struct TapeBytes: ~Copyable {
    private var bytes: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var isOnHeap = false

    /// The number of bytes.
    private(set) var count = 0

    /// Starts in borrowed memory, which outlives the bytes.
    init(lent room: UnsafeMutableBufferPointer<UInt8>) {
        if let base = room.baseAddress {
            unsafe self.bytes = base
            self.capacity = room.count
        } else {
            unsafe self.bytes = .allocate(capacity: 64)
            self.capacity = 64
            self.isOnHeap = true
        }
    }

    deinit {
        if self.isOnHeap { unsafe self.bytes.deallocate() }
    }

    /// The finished bytes.
    var all: UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: self.bytes, count: self.count)
    }

    /// The last of them, or nil.
    var last: UInt8? { self.count > 0 ? unsafe self.bytes[self.count &- 1] : nil }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        if self.count == self.capacity { self.grow(to: self.count &+ 1) }
        unsafe (self.bytes + self.count).initialize(to: byte)
        self.count &+= 1
    }

    /// Appends some bytes.
    mutating func append(_ more: UnsafeBufferPointer<UInt8>) {
        guard let source = more.baseAddress else { return }
        if more.count > self.capacity &- self.count { self.grow(to: self.count + more.count) }
        unsafe (self.bytes + self.count).initialize(from: source, count: more.count)
        self.count &+= more.count
    }

    /// Appends the UTF-8 of a string.
    mutating func append(_ text: String) {
        unsafe text.withBytes { unsafe self.append($0) }
    }

    @inline(never)
    private mutating func grow(to needed: Int) {
        let capacity = max(needed, self.capacity * 2)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        unsafe larger.initialize(from: self.bytes, count: self.count)
        if self.isOnHeap { unsafe self.bytes.deallocate() }
        unsafe self.bytes = larger
        self.capacity = capacity
        self.isOnHeap = true
    }
}
