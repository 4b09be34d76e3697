/// Wakes a waiting task; several raises before it wakes count as one.
struct Signal: Sendable {
    let raises: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (self.raises, self.continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func raise() { self.continuation.yield() }

    func finish() { self.continuation.finish() }
}
