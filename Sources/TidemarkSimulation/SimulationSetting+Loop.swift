import TidemarkMachine

extension SimulationSetting {
    /// The drawn part of the plan of a run loop.
    struct Loop: Hashable, Sendable {
        /// The debounce of edits and its maximum, in milliseconds.
        var quiet = 500
        var longestQuiet = 5_000
        /// The first and the longest wait between two polls, in seconds.
        var interval = 15
        var maxPollInterval = 300
        var idleRequests = 10
        /// The budget of requests and bytes for an hour; 0 bytes for no limit.
        var requests = 3_600
        var bytes = 0
        var atOnce = 4
        /// Whether (1) no device listens for change notifications.
        var deaf = 0
        /// The maximum number of events of a server for a minute.
        var events = 60_000
        /// The duration of a connection for change notifications, in seconds.
        var watch = 3_600

        static var numbers: [(String, WritableKeyPath<Self, Int>)] {
            [
                ("quiet", \.quiet), ("longest-quiet", \.longestQuiet), ("interval", \.interval),
                ("longest-interval", \.maxPollInterval), ("idle-requests", \.idleRequests),
                ("requests-an-hour", \.requests), ("bytes-an-hour", \.bytes), ("at-once", \.atOnce),
                ("deaf", \.deaf), ("events-a-minute", \.events), ("longest-watch", \.watch),
            ]
        }

        var plan: RunPlan {
            var plan = RunPlan()
            plan.debounce = .milliseconds(self.quiet)
            plan.maxDebounce = .milliseconds(self.longestQuiet)
            plan.minPollInterval = .seconds(self.interval)
            plan.maxPollInterval = .seconds(self.maxPollInterval)
            plan.idleRequestsPerHour = self.idleRequests
            plan.requestsPerHour = self.requests
            plan.bytesPerHour = self.bytes > 0 ? self.bytes : nil
            plan.collectionsAtOnce = self.atOnce
            plan.usesHints = self.deaf == 0
            plan.hintEventsPerMinute = self.events
            plan.maxHintConnection = .seconds(self.watch)
            return plan
        }
    }
}
