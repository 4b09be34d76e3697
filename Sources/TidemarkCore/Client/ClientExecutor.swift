import Dispatch

/// Runs the jobs of one client, one after another, on threads of Dispatch.
///
/// A commit waits for the disk. On Swift's own pool, which has one thread for each processor, it would keep other tasks of the
/// app from running meanwhile.
final class ClientExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "tidemark.client")
    private let besides = DispatchQueue(label: "tidemark.client.merges")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    /// Runs a function that blocks its thread and is not a job of the client.
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await Self.run(body, on: self.queue)
    }

    /// Runs a function that takes long while the client continues with other jobs.
    func runBeside<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await Self.run(body, on: self.besides)
    }

    /// Blocks the thread of a job for some time; not at all for a negative one.
    static func block(for time: Duration) {
        guard time > .zero else { return }
        let (seconds, attoseconds) = time.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .nanoseconds(nanoseconds))
    }

    private static func run<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value, on queue: DispatchQueue
    ) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }
}
