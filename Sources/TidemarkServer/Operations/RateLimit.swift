import Synchronization

/// Limits the requests of an account per second, on average: a token bucket that fills at that rate, and holds the tokens of a
/// few seconds for bursts.
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
    ///   - rate: Requests per second.
    ///   - burst: The bucket's size, in seconds of the rate.
    ///   - accounts: How many accounts are remembered; accounts with a full bucket are forgotten first.
    init(rate: Int, burst: Int, accounts: Int) {
        self.rate = Double(rate)
        self.size = Double(rate) * Double(burst)
        self.accounts = accounts
    }

    /// Counts one request of an account.
    ///
    /// - Returns: Nil if the request is admitted, else the number of seconds until the next one would be.
    func wait(of account: String, at now: Int64) -> Int? {
        self.buckets.withLock { buckets in
            var bucket = buckets[account] ?? Bucket(level: self.size, at: now)
            bucket.level = self.level(of: bucket, at: now)
            bucket.at = now
            let mayPass = bucket.level >= 1
            if mayPass { bucket.level -= 1 }
            if buckets[account] == nil, buckets.count >= self.accounts {
                buckets = buckets.filter { self.level(of: $0.value, at: now) < self.size }
                // All remembered accounts send requests: they begin again with a full bucket.
                if buckets.count >= self.accounts { buckets = [:] }
            }
            buckets[account] = bucket
            return mayPass ? nil : max(1, Int(((1 - bucket.level) / self.rate).rounded(.up)))
        }
    }

    /// If the clock was set back, nothing is added.
    private func level(of bucket: Bucket, at now: Int64) -> Double {
        min(self.size, bucket.level + Double(max(0, now - bucket.at)) / 1_000_000 * self.rate)
    }
}
