/// What a device has spent of its budget within the last hour (SPEC §10).
///
/// It counts by minutes, so that it has a size of its own whatever is spent.
public struct RunBudget: Hashable, Sendable {
    /// What was spent within one minute.
    private struct Minute: Hashable {
        var number: Int64
        var requests = 0
        var bytes = 0
    }

    private let plan: RunPlan
    private var minutes: [Minute] = []

    /// How many minutes something counts.
    private static var span: Int64 { 60 }

    /// Nothing is spent.
    public init(_ plan: RunPlan) {
        self.plan = plan
    }

    /// How many requests were made within the last hour.
    public var requests: Int { self.minutes.reduce(0) { $0 + $1.requests } }

    /// How many bytes of records were sent and received within the last hour.
    public var bytes: Int { self.minutes.reduce(0) { $0 + $1.bytes } }

    /// Whether no sync may start.
    public var isSpent: Bool {
        self.plan.requestsPerHour.map { self.requests >= $0 } ?? false
            || self.plan.bytesPerHour.map { self.bytes >= $0 } ?? false
    }

    /// Something was spent.
    public mutating func spend(requests: Int, bytes: Int, at now: Duration) {
        let number = Self.minute(of: now)
        if self.minutes.last?.number != number { self.minutes.append(Minute(number: number)) }
        self.minutes[self.minutes.count - 1].requests += requests
        self.minutes[self.minutes.count - 1].bytes += bytes
    }

    /// Forgets what was spent more than an hour ago; and what the clock says is to come, since it was set back.
    public mutating func pass(to now: Duration) {
        let number = Self.minute(of: now)
        self.minutes.removeAll { $0.number <= number - Self.span || $0.number > number }
    }

    /// When some of it may be free again; nil while it isn't spent.
    public var renewal: Duration? {
        guard self.isSpent else { return nil }
        var rest = self
        while let first = rest.minutes.first {
            rest.minutes.removeFirst()
            if !rest.isSpent { return .seconds((first.number + Self.span) * 60) }
        }
        // A limit of nothing.
        return nil
    }

    private static func minute(of time: Duration) -> Int64 { time.components.seconds / 60 }
}
