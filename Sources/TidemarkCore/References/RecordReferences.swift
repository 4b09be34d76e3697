import TidemarkJSON
import TidemarkMachine
package import TidemarkRules

/// What a record's row says about references (Contract §11), stored beside the row and found by name. Only the row decides it, and only
/// a pending record has any.
package struct RecordReferences: Hashable, Sendable {
    /// The records that the view names and `data` does not.
    package var added: Set<RecordName>

    /// The records that `data`, the newer row of the server or the upload names, and the view does not; none while it is held.
    package var removed: Set<RecordName>

    /// Whether the server may not have the record: the newest row that is known of it is none, or its delete is pending or in an
    /// upload.
    package var isMissing: Bool

    package init(added: Set<RecordName> = [], removed: Set<RecordName> = [], isMissing: Bool = false) {
        (self.added, self.removed, self.isMissing) = (added, removed, isMissing)
    }

    package var isEmpty: Bool { self.added.isEmpty && self.removed.isEmpty && !self.isMissing }
}

extension RecordReferences {
    /// - Parameters:
    ///   - record: The record.
    ///   - name: Its name: a record that names itself waits for nothing.
    ///   - references: The references of its collection; nil for none.
    ///   - limit: How many names of one record are followed.
    init(
        of record: Record, _ name: RecordName, _ references: CollectionReferences?, _ algebra: JSONChanges, limit: Int
    ) {
        self.init()
        let machine = record.machine
        guard machine.phase != .absent, machine.phase != .synced else { return }
        let newest = machine.seen ?? machine.confirmed
        self.isMissing =
            newest.content == nil || machine.phase.state == .deleted || machine.upload?.intent == .delete
        guard let references else { return }
        func names(_ content: RecordPayload?) -> Set<RecordName> {
            references.names(in: content.flatMap { try? $0.json() }).subtracting([name])
        }
        // A content that can't be read names nothing.
        let view = names((try? machine.view(algebra)) ?? nil)
        let data = names(machine.confirmed.content)
        self.added = Self.first(limit, of: view.subtracting(data))
        guard machine.phase.activity != .held else { return }
        let sent = machine.upload?.change.flatMap { try? algebra.apply($0, to: machine.confirmed.content) }
        let former = data.union(names(machine.seen?.content)).union(names(sent))
        self.removed = Self.first(limit, of: former.subtracting(view))
    }

    /// Those of a pending record whose contents can't be read: it names nothing, and the server may not have it.
    init(ofDamaged record: StoredRecord) {
        self.init(isMissing: (record.seen ?? record.confirmed).data == nil || record.phase.state == .deleted)
    }

    private static func first(_ limit: Int, of names: Set<RecordName>) -> Set<RecordName> {
        names.count > limit ? Set(names.sorted().prefix(limit)) : names
    }
}

/// A record for which another one waits.
package struct RecordWait: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// R26: a record that is named, and that the server may not have.
        case parent

        /// R27: a record that named this one, and whose change is not sent.
        case child
    }

    package let kind: Kind
    package let name: RecordName

    package init(_ kind: Kind, _ name: RecordName) { (self.kind, self.name) = (kind, name) }
}
