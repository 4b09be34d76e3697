import TidemarkMachine

extension SimulationSetting {
    /// When a device syncs that runs: what is drawn of its plan.
    struct Loop: Hashable, Sendable {
        /// How long after the last edit, and after the first one, it is sent, in milliseconds.
        var quiet = 500
        var longestQuiet = 5_000
        /// The first and the longest wait between two questions, in seconds.
        var interval = 15
        var longestInterval = 300
        var idleRequests = 10
        /// How many requests, and how many bytes, there may be within an hour; 0 bytes for any number.
        var requests = 3_600
        var bytes = 0
        var atOnce = 4
        /// Whether (1) nobody listens to hints.
        var deaf = 0
        /// How many events a server may send within a minute.
        var events = 60_000
        /// How long one connection is listened to, in seconds.
        var watch = 3_600

        static var numbers: [(String, WritableKeyPath<Self, Int>)] {
            [
                ("quiet", \.quiet), ("longest-quiet", \.longestQuiet), ("interval", \.interval),
                ("longest-interval", \.longestInterval), ("idle-requests", \.idleRequests),
                ("requests-an-hour", \.requests), ("bytes-an-hour", \.bytes), ("at-once", \.atOnce),
                ("deaf", \.deaf), ("events-a-minute", \.events), ("longest-watch", \.watch),
            ]
        }

        var plan: RunPlan {
            var plan = RunPlan()
            plan.quietTime = .milliseconds(self.quiet)
            plan.longestQuietTime = .milliseconds(self.longestQuiet)
            plan.shortestInterval = .seconds(self.interval)
            plan.longestInterval = .seconds(self.longestInterval)
            plan.idleRequestsPerHour = self.idleRequests
            plan.requestsPerHour = self.requests
            plan.bytesPerHour = self.bytes > 0 ? self.bytes : nil
            plan.collectionsAtOnce = self.atOnce
            plan.listens = self.deaf == 0
            plan.hintEventsPerMinute = self.events
            plan.longestWatch = .seconds(self.watch)
            return plan
        }
    }
}
