import TidemarkCore
import TidemarkJSON

/// Every value that an app wrote or deleted, and the values that an app replaced or deleted knowingly.
struct WriteLedger {
    /// A member that an app wrote.
    struct Value: Hashable, Sendable {
        var pk: String
        var member: String
        var text: String
    }

    /// A written value or a deletion without a known outcome.
    enum Loss: Hashable, Sendable {
        case value(Value)

        /// A deletion: a record shows a value that the deleting app saw, and no device keeps the deletion.
        case deletion(pk: String)
    }

    /// The values in journals.
    private struct Named {
        var values: Set<Value> = []
        var deletions: Set<String> = []
    }

    private var written: [Value] = []
    private var replaced: Set<Value> = []
    private var deleted: [(pk: String, values: [Value])] = []

    /// Notes that an app created or changed a record, with the content that the app saw before.
    mutating func note(_ members: JSON, over view: JSON?, of pk: String) {
        for value in Self.values(of: members, pk) {
            self.written.append(value)
            guard let former = view?[value.member]?.string else { continue }
            self.replaced.insert(Value(pk: pk, member: value.member, text: former))
        }
    }

    /// Notes that an app deleted a record, with the content that the app saw before.
    mutating func noteDelete(over view: JSON?, of pk: String) {
        let values = Self.values(of: view, pk)
        self.replaced.formUnion(values)
        self.deleted.append((pk, values))
    }

    /// The written values that no app replaced knowingly, and that neither a view nor a journal shows.
    ///
    /// - Parameters:
    ///   - views: The content of each record that the apps see.
    ///   - deletions: The records that are deleted on a device, and held.
    ///   - journal: The journals of all devices.
    func lost(views: [String: [JSON]], kept deletions: Set<String>, journal: [JournalEntry]) throws -> [Loss] {
        let named = try Self.named(in: journal)
        let shown = Set(views.flatMap { pk, views in views.flatMap { Self.values(of: $0, pk) } })
        let values = self.written.filter {
            !self.replaced.contains($0) && !named.values.contains($0) && !shown.contains($0)
        }
        let undone = self.deleted.filter {
            !named.deletions.contains($0.pk) && !deletions.contains($0.pk) && !shown.isDisjoint(with: $0.values)
        }
        return values.map(Loss.value) + undone.map { .deletion(pk: $0.pk) }
    }

    private static func named(in journal: [JournalEntry]) throws -> Named {
        var named = Named()
        for entry in journal {
            let lost = try entry.lostValue
            if entry.path == .root {
                named.values.formUnion(Self.values(of: lost, entry.pk))
                if lost == nil { named.deletions.insert(entry.pk) }
            } else if let text = lost?.string {
                let member = String(entry.path.text.dropFirst())
                named.values.insert(Value(pk: entry.pk, member: member, text: text))
            }
        }
        return named
    }

    /// The members that hold text; a counter has no unique value.
    private static func values(of record: JSON?, _ pk: String) -> [Value] {
        record?.object?.compactMap { name, value in value.string.map { Value(pk: pk, member: name, text: $0) } } ?? []
    }
}
