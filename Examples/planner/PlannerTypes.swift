import Foundation
import Tidemark

/// A list of items.
nonisolated struct ItemList: Codable, Equatable, Sendable {
    var name: String
}

/// A thing to do. Fields that a later version adds are optional.
nonisolated struct Item: Codable, Equatable, Sendable {
    enum Status: String, CaseIterable, Codable, JSONConvertible, Sendable { case open, started, done }

    struct Step: Codable, Equatable, Identifiable, Sendable {
        var id: String
        var text: String
        var done = false
    }

    var title: String
    var list: String
    var status = Status.open
    var due: Date?
    var budget: Decimal?
    var votes = 0
    var tags: [String] = []
    var notes = ""
    var steps: [Step] = []

    /// The fields that queries use.
    enum Field {
        static let list = JSONField<String>("/list")
        static let status = JSONField<Status>("/status")
        static let due = JSONField<Date?>("/due", dates: Item.dates)
        static let title = JSONField<String>("/title")
        static let paths = [Self.list.path, Self.status.path, Self.due.path, Self.title.path]
    }

    /// Texts in this form sort as the dates do.
    static let dates = JSONDates.rfc3339(digits: 3)
}

/// An item that one device has done stays done, whatever else changed.
struct DoneStaysDone: Tactic {
    func decide(_ conflict: RecordConflict) -> Verdict? {
        let isDone = [conflict.server, conflict.client].contains { $0?.status == "done" }
        guard isDone, conflict.undecided.isEmpty, var merged = conflict.merged else { return nil }
        merged.status = "done"
        return .merge(merged)
    }
}

extension SyncConfiguration {
    /// The rules of the planner.
    static func planner() throws -> SyncConfiguration {
        var configuration = SyncConfiguration()
        configuration["lists"] = CollectionRules(indexes: [["/name"]])
        configuration["items"] = CollectionRules(
            tactic: FirstThatDecides(DoneStaysDone(), .autoMerge),
            fields: try FieldRules([
                ("/votes", .sum), ("/tags", .union), ("/notes", .text), ("/steps", .keyed("id")), ("/budget", .ask),
            ]),
            indexes: [["/list", "/due"], ["/status", "/due"]])
        return configuration
    }
}
