import Synchronization

/// The counters of a server since its start, for `GET /metrics` in the text format of Prometheus (version 0.0.4).
///
/// They name no account, collection or record: a reader learns how much happens, but not what.
public final class ServerMetrics: Sendable {
    /// The upper bounds of the histogram's buckets, in seconds; an unbounded bucket follows.
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

    /// Counts an answered request.
    ///
    /// - Parameters:
    ///   - kind: The request's kind.
    ///   - status: The answer's status.
    ///   - time: The time from the request's head to its answer.
    ///   - received: The bytes of the request's body.
    ///   - sent: The bytes of the answer's body.
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

    /// Counts POSTs that were committed, or failed, together.
    func noteGroup(of posts: Int, _ edits: EditTally, time: Duration) {
        self.state.withLock { state in
            state.groups += 1
            state.posts += posts
            state.edits.add(edits)
            state.commitSeconds += Self.seconds(time)
        }
    }

    /// Counts a read that did not wait for the writer.
    func noteRead(time: Duration) {
        self.state.withLock { state in
            state.reads += 1
            state.readSeconds += Self.seconds(time)
        }
    }

    /// Counts a failure of the storage.
    func noteFailure() { self.state.withLock { $0.failures += 1 } }

    /// Counts a purge of old tombstones.
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
    /// All metrics as text.
    ///
    /// - Parameter gauges: Current values, each with its name and help text.
    func text(_ gauges: [(name: String, help: String, value: Int)]) -> [UInt8] {
        let state = self.state.withLock { $0 }
        var text = MetricsText()
        let requests = state.requests.sorted { $0.key.rawValue < $1.key.rawValue }
        text.family("tidemark_requests_total", "counter", "Answered requests, by kind and status.")
        for (kind, counted) in requests {
            for (status, count) in counted.statuses.sorted(by: { $0.key < $1.key }) {
                text.value(count, [("request", kind.label), ("status", String(status))])
            }
        }
        text.family("tidemark_request_seconds", "histogram", "Seconds from the head of a request to its answer.")
        for (kind, counted) in requests {
            var sum = 0
            for (step, count) in zip(Self.steps.map { String($0) } + ["+Inf"], counted.counts) {
                sum += count
                text.value(sum, [("request", kind.label), ("le", step)], suffix: "_bucket")
            }
            text.value(counted.seconds, [("request", kind.label)], suffix: "_sum")
            text.value(sum, [("request", kind.label)], suffix: "_count")
        }
        text.family("tidemark_received_bytes_total", "counter", "Bytes of received bodies.")
        for (kind, counted) in requests { text.value(counted.received, [("request", kind.label)]) }
        text.family("tidemark_sent_bytes_total", "counter", "Bytes of sent bodies.")
        for (kind, counted) in requests { text.value(counted.sent, [("request", kind.label)]) }
        text.family("tidemark_edits_total", "counter", "Edits by outcome.")
        for (outcome, count) in state.edits.all { text.value(count, [("outcome", outcome)]) }
        let counters = [
            ("tidemark_posts_total", "Executed POSTs.", state.posts),
            ("tidemark_commits_total", "Transactions of POSTs.", state.groups),
            ("tidemark_reads_total", "Reads of the storage for requests.", state.reads),
            ("tidemark_storage_failures_total", "Failures of the storage.", state.failures),
            ("tidemark_purges_total", "Purges of old tombstones.", state.purges),
            ("tidemark_purged_tombstones_total", "Purged tombstones.", state.purged),
        ]
        for (name, help, count) in counters {
            text.family(name, "counter", help)
            text.value(count)
        }
        text.family("tidemark_commit_seconds_total", "counter", "Seconds in transactions of POSTs.")
        text.value(state.commitSeconds)
        text.family("tidemark_read_seconds_total", "counter", "Seconds of reading for requests.")
        text.value(state.readSeconds)
        for (name, help, value) in gauges {
            text.family(name, "gauge", help)
            text.value(value)
        }
        return Array(text.text.utf8)
    }
}

/// Writes the lines of the text format.
private struct MetricsText {
    private(set) var text = ""
    private var name = ""

    mutating func family(_ name: String, _ type: String, _ help: String) {
        self.name = name
        self.text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    /// The labels contain no character that has to be escaped.
    mutating func value(_ value: some CustomStringConvertible, _ labels: [(String, String)] = [], suffix: String = "") {
        let list = labels.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ",")
        self.text += "\(self.name)\(suffix)\(list.isEmpty ? "" : "{\(list)}") \(value)\n"
    }
}
