import Synchronization

/// How many requests an account may send a second, on the average: a bucket that fills at that rate, and holds a few seconds'
/// worth for who comes back with much to say.
final class RateLimit: Sendable {
    private struct Bucket {
        var level: Double
        var at: Int64
    }

    private let rate: Double
    private let size: Double
    private let accounts: Int
    private let buckets = Mutex<[String: Bucket]>([:])

    /// - Parameters:
    ///   - rate: Requests a second.
    ///   - burst: For how many seconds' worth there is room.
    ///   - accounts: How many accounts are remembered; those that ask for nothing are forgotten first.
    init(rate: Int, burst: Int, accounts: Int) {
        self.rate = Double(rate)
        self.size = Double(rate) * Double(burst)
        self.accounts = accounts
    }

    /// Takes one request of an account.
    ///
    /// - Returns: Nil where it may pass, else after how many seconds the next one may.
    func wait(of account: String, at now: Int64) -> Int? {
        self.buckets.withLock { buckets in
            var bucket = buckets[account] ?? Bucket(level: self.size, at: now)
            bucket.level = self.level(of: bucket, at: now)
            bucket.at = now
            let mayPass = bucket.level >= 1
            if mayPass { bucket.level -= 1 }
            if buckets[account] == nil, buckets.count >= self.accounts {
                buckets = buckets.filter { self.level(of: $0.value, at: now) < self.size }
                // All of them ask: who comes now begins anew next time.
                if buckets.count >= self.accounts { buckets = [:] }
            }
            buckets[account] = bucket
            return mayPass ? nil : max(1, Int(((1 - bucket.level) / self.rate).rounded(.up)))
        }
    }

    /// A clock that was set back adds nothing.
    private func level(of bucket: Bucket, at now: Int64) -> Double {
        min(self.size, bucket.level + Double(max(0, now - bucket.at)) / 1_000_000 * self.rate)
    }
}
