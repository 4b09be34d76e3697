/// The requests and bytes of a device within the last hour, and its budget for them (Contract §10).
///
/// It counts by minutes, so its size is bounded.
package struct RunBudget: Hashable, Sendable {
    /// The requests and bytes of one minute.
    private struct Minute: Hashable {
        var number: Int64
        var requests = 0
        var bytes = 0
    }

    private let plan: RunPlan
    private var minutes: [Minute] = []

    /// How many minutes an expense counts.
    private static var span: Int64 { 60 }

    /// Makes a budget of which nothing is spent.
    package init(_ plan: RunPlan) {
        self.plan = plan
    }

    /// How many requests were made within the last hour.
    package var requests: Int { self.minutes.reduce(0) { $0 + $1.requests } }

    /// How many bytes of records were sent and received within the last hour.
    package var bytes: Int { self.minutes.reduce(0) { $0 + $1.bytes } }

    /// Which syncs may start.
    package var allowance: RunAllowance {
        if self.isSpent(sparing: { _ in 0 }) { return .nothing }
        return self.isSpent(sparing: Self.reserve) ? .ownEdits : .everything
    }

    private func isSpent(sparing reserve: (Int) -> Int) -> Bool {
        self.plan.requestsPerHour.map { self.requests >= $0 - reserve($0) } ?? false
            || self.plan.bytesPerHour.map { self.bytes >= $0 - reserve($0) } ?? false
    }

    /// The part of a limit that is reserved for edits of this device: a tenth, rounded up, but never all of it.
    private static func reserve(_ limit: Int) -> Int {
        max(min(limit / 10 + (limit % 10 == 0 ? 0 : 1), limit - 1), 0)
    }

    /// How much of a limit is spent before ``pace(at:)`` has its full effect, as a fraction.
    private static var burst: Double { 0.1 }

    /// Adds an expense.
    package mutating func spend(requests: Int, bytes: Int, at now: Duration) {
        let number = Self.minute(of: now)
        if self.minutes.last?.number != number { self.minutes.append(Minute(number: number)) }
        self.minutes[self.minutes.count - 1].requests += requests
        self.minutes[self.minutes.count - 1].bytes += bytes
    }

    /// Removes expenses of more than an hour ago, and those later than `now`, since the clock was set back.
    package mutating func pass(to now: Duration) {
        let number = Self.minute(of: now)
        self.minutes.removeAll { $0.number <= number - Self.span || $0.number > number }
    }

    /// When the budget allows more syncs than now; nil if it allows all, or if a limit is 0.
    package var renewal: Duration? {
        let present = self.allowance
        guard present != .everything else { return nil }
        var rest = self
        while let first = rest.minutes.first {
            rest.minutes.removeFirst()
            if rest.allowance != present { return Self.renewal(of: first) }
        }
        // A limit of 0.
        return nil
    }

    /// Returns the minimum interval between the starts of two syncs that change notifications lead to. With it the budget
    /// without the reserve lasts until a part of it is renewed, however often the server notifies. It is zero while nothing is
    /// spent, and grows until a tenth of the budget is spent.
    package func pace(at now: Duration) -> Duration {
        let bytes = Double(self.bytes) / Double(max(self.requests, 1))
        return max(
            self.pace(self.plan.requestsPerHour, \.requests, ofEach: 1, now),
            self.pace(self.plan.bytesPerHour, \.bytes, ofEach: max(bytes, 1), now))
    }

    /// - Parameters:
    ///   - limit: How much may be spent in an hour.
    ///   - part: The counted part.
    ///   - cost: How much of it one sync spends.
    private func pace(
        _ limit: Int?, _ part: KeyPath<Minute, Int>, ofEach cost: Double, _ now: Duration
    ) -> Duration {
        guard let limit, limit > 0 else { return .zero }
        let spent = self.minutes.reduce(0) { $0 + $1[keyPath: part] }
        var left = Double(limit - Self.reserve(limit) - spent)
        var pace = Duration.zero
        for minute in self.minutes {
            pace = max(pace, (Self.renewal(of: minute) - now) * (cost / max(left, cost)))
            left += Double(minute[keyPath: part])
        }
        // After that, no earlier expense counts.
        pace = max(pace, .seconds(Self.span * 60) * (cost / max(left, cost)))
        return pace * min(1, Double(spent) / (Double(limit) * Self.burst))
    }

    private static func renewal(of minute: Minute) -> Duration { .seconds((minute.number + Self.span) * 60) }

    private static func minute(of time: Duration) -> Int64 { time.components.seconds / 60 }
}

/// The syncs that the hourly budget allows to start.
package enum RunAllowance: CaseIterable, Hashable, Sendable {
    /// Any sync.
    case everything

    /// All but the reserve is spent: only a sync with own edits, and the next try of one that failed.
    case ownEdits

    /// No sync.
    case nothing
}
