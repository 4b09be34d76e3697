import Synchronization

/// What a server counts of itself since it was started, for `GET /metrics` in the text format of Prometheus (version 0.0.4).
///
/// It names no account, no collection and no record: whoever may read it learns how much happens, and not what.
public final class ServerMetrics: Sendable {
    /// Up to how many seconds an answer took, for each step of the histogram; one without an end comes behind them.
    static let steps = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5]

    private struct Requests {
        var statuses: [Int: Int] = [:]
        var counts = [Int](repeating: 0, count: ServerMetrics.steps.count + 1)
        var seconds = 0.0
        var received = 0
        var sent = 0
    }

    private struct State {
        var requests: [RequestKind: Requests] = [:]
        var edits = EditTally()
        var groups = 0
        var posts = 0
        var commitSeconds = 0.0
        var readSeconds = 0.0
        var reads = 0
        var failures = 0
        var purges = 0
        var purged = 0
    }

    private let state = Mutex(State())

    init() {}

    /// A request was answered.
    ///
    /// - Parameters:
    ///   - kind: What was asked for.
    ///   - status: The status of the answer.
    ///   - time: From its head to its answer.
    ///   - received: How many bytes of body came.
    ///   - sent: How many bytes of body the answer has.
    public func note(_ kind: RequestKind, status: Int, time: Duration, received: Int, sent: Int) {
        let seconds = Self.seconds(time)
        let step = Self.steps.firstIndex { seconds <= $0 } ?? Self.steps.count
        self.state.withLock { state in
            state.requests[kind, default: Requests()].statuses[status, default: 0] += 1
            state.requests[kind, default: Requests()].counts[step] += 1
            state.requests[kind, default: Requests()].seconds += seconds
            state.requests[kind, default: Requests()].received += received
            state.requests[kind, default: Requests()].sent += sent
        }
    }

    /// POSTs were committed, or failed, together.
    func noteGroup(of posts: Int, _ edits: EditTally, time: Duration) {
        self.state.withLock { state in
            state.groups += 1
            state.posts += posts
            state.edits.add(edits)
            state.commitSeconds += Self.seconds(time)
        }
    }

    /// Something was read beside whoever writes.
    func noteRead(time: Duration) {
        self.state.withLock { state in
            state.reads += 1
            state.readSeconds += Self.seconds(time)
        }
    }

    /// The storage failed.
    func noteFailure() { self.state.withLock { $0.failures += 1 } }

    /// Old tombstones were forgotten.
    func note(_ purge: ServerPurge) {
        self.state.withLock { state in
            state.purges += 1
            state.purged += purge.tombstones
        }
    }

    private static func seconds(_ time: Duration) -> Double {
        Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    }
}

// MARK: - As text

extension ServerMetrics {
    /// All of it.
    ///
    /// - Parameter gauges: What is so at this moment: a name, what it is, and how much.
    func text(_ gauges: [(name: String, help: String, value: Int)]) -> [UInt8] {
        let state = self.state.withLock { $0 }
        var text = MetricsText()
        let requests = state.requests.sorted { $0.key.rawValue < $1.key.rawValue }
        text.family("tidemark_requests_total", "counter", "Requests that were answered, by what was asked and status.")
        for (kind, counted) in requests {
            for (status, count) in counted.statuses.sorted(by: { $0.key < $1.key }) {
                text.value(count, [("request", kind.label), ("status", String(status))])
            }
        }
        text.family("tidemark_request_seconds", "histogram", "From the head of a request to its answer.")
        for (kind, counted) in requests {
            var sum = 0
            for (step, count) in zip(Self.steps.map { String($0) } + ["+Inf"], counted.counts) {
                sum += count
                text.value(sum, [("request", kind.label), ("le", step)], suffix: "_bucket")
            }
            text.value(counted.seconds, [("request", kind.label)], suffix: "_sum")
            text.value(sum, [("request", kind.label)], suffix: "_count")
        }
        text.family("tidemark_received_bytes_total", "counter", "Bytes of bodies that came.")
        for (kind, counted) in requests { text.value(counted.received, [("request", kind.label)]) }
        text.family("tidemark_sent_bytes_total", "counter", "Bytes of bodies that were sent.")
        for (kind, counted) in requests { text.value(counted.sent, [("request", kind.label)]) }
        text.family("tidemark_edits_total", "counter", "What became of edits.")
        for (outcome, count) in state.edits.all { text.value(count, [("outcome", outcome)]) }
        let counters = [
            ("tidemark_posts_total", "POSTs that were carried out.", state.posts),
            ("tidemark_commits_total", "Transactions that POSTs shared.", state.groups),
            ("tidemark_reads_total", "Times that something was read for a request.", state.reads),
            ("tidemark_storage_failures_total", "Times that the storage failed.", state.failures),
            ("tidemark_purges_total", "Times that old deletions were forgotten.", state.purges),
            ("tidemark_purged_tombstones_total", "Deletions that were forgotten.", state.purged),
        ]
        for (name, help, count) in counters {
            text.family(name, "counter", help)
            text.value(count)
        }
        text.family("tidemark_commit_seconds_total", "counter", "Time spent in transactions that POSTs shared.")
        text.value(state.commitSeconds)
        text.family("tidemark_read_seconds_total", "counter", "Time spent reading for requests.")
        text.value(state.readSeconds)
        for (name, help, value) in gauges {
            text.family(name, "gauge", help)
            text.value(value)
        }
        return Array(text.text.utf8)
    }
}

/// The lines of the text format.
private struct MetricsText {
    private(set) var text = ""
    private var name = ""

    mutating func family(_ name: String, _ type: String, _ help: String) {
        self.name = name
        self.text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    /// The labels are ours, so nothing in them has to be escaped.
    mutating func value(_ value: some CustomStringConvertible, _ labels: [(String, String)] = [], suffix: String = "") {
        let list = labels.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
        self.text += "\(self.name)\(suffix)\(list.isEmpty ? "" : "{\(list)}") \(value)\n"
    }
}
