import Foundation
import Tidemark
import TidemarkCore
import TidemarkInspector
import TidemarkSQLite

/// The data of a store that another program may have open: a copy of it, which is made again when the store has changed.
actor CopySource: InspectorSource {
    private let path: String
    private let command: InspectorData.CommandLine
    private var current: State?
    private var refresh: Task<State, any Error>?
    private var nextCopy = ContinuousClock.now

    /// The size of the largest store that is copied again while the page is open, in bytes.
    static let refreshLimit: Int64 = 256 << 20

    init(
        _ path: String, command: @escaping InspectorData.CommandLine
    ) {
        // As SQLite has it: the log is beside the file that a link leads to.
        self.path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        self.command = command
    }

    func data(since revision: String?) async throws -> (bytes: [UInt8], revision: String)? {
        let current = try await self.refreshed()
        guard revision != "\(current.number)" else { return nil }
        return (current.data, "\(current.number)")
    }

    func record(_ pk: String, in collection: String) async throws -> [UInt8]? {
        try await InspectorData.record(pk, of: try await self.refreshed().client[collection], allowsActions: false)
    }

    func act(_ action: InspectorAction) async throws -> String {
        throw InspectorRefusal("This page shows a copy. Use the commands, or an Inspector in the app.")
    }

    /// One copy is made at a time, for all requests that need it. A client is closed when its last reader drops it.
    private func refreshed() async throws -> State {
        if let refresh { return try await refresh.value }
        let marks = ["", "-wal"].map { Mark(self.path + $0) }
        let isLarge = marks.reduce(0) { $0 + $1.size } > Self.refreshLimit
        let isEarly = ContinuousClock.now < self.nextCopy
        if let current, marks == current.marks || isLarge || isEarly { return current }
        guard !isEarly else {
            throw InspectorRefusal("The store changes too fast for a copy now; it is tried again soon.")
        }
        let number = (self.current?.number ?? 0) + 1
        let task = Task { [path, command] in
            let copy = try StoreCopy(of: path)
            let time = copy.time
            let client = try OpenStore(copy, of: path).client
            let source = InspectorData.Source(
                title: path, origin: "read-only copy of \(ClockTime(time))",
                notes: isLarge
                    ? ["The store is large: this page is not read again. Run the command again for a newer state."]
                    : [],
                revision: "\(number)", command: command)
            let data = try await InspectorData.read(client, from: source, now: time)
            return State(client: client, data: data, number: number, marks: marks)
        }
        self.refresh = task
        let begin = ContinuousClock.now
        // After a copy that failed, too.
        defer { (self.refresh, self.nextCopy) = (nil, .now + (.now - begin) * InspectorLimits.restFactor) }
        let state = try await task.value
        self.current = state
        return state
    }

    private struct State: Sendable {
        let client: SyncClient
        let data: [UInt8]
        let number: Int
        let marks: [Mark]
    }

    /// The state of a file, as far as its change is noticed.
    private struct Mark: Equatable, Sendable {
        let size: Int64
        private let (seconds, nanoseconds): (Int, Int)

        init(_ path: String) {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            self.size = (attributes?[.size] as? NSNumber)?.int64Value ?? 0
            let time = (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
            self.seconds = Int(time)
            self.nanoseconds = Int((time - Double(Int(time))) * 1e9)
        }
    }
}
