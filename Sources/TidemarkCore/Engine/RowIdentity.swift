import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Which record a row is about, if the server names the records and has the pk in a member (Contract §12).
///
/// The name alone does not show it: a server that was restored from a backup gives its names again. So the pk decides: the one in
/// the member, or the name of a row without a pk.
struct RowIdentity {
    let transaction: EngineTransaction

    private var member: JSONPointer? { self.transaction.members.pk }
    private var store: any RecordStore { self.transaction.store }
    private var collection: String { self.transaction.collection }

    /// A name that a record has here, and that the server uses for another record.
    struct Reuse: Hashable {
        let name: String

        /// The record that has the name here.
        let former: String

        /// Whether the server has reported the deletion of that record before, so that only the name is used again.
        let isAfterDeletion: Bool

        /// Whether the record itself has another name in a full resync, which its first row shows.
        var isMove = false
    }
}

// MARK: - Rows

extension RowIdentity {
    /// Follows the names of a page's rows, in their order.
    struct Walk {
        fileprivate var owners: [CodePointString: (pk: String, isDeleted: Bool)] = [:]
    }

    /// Returns the names that records lose to a row, before it is applied: the record that has the row's name here, if the row is
    /// another one; and in a full resync the row's own record, if it has another name here. So each row finds its record, whatever
    /// the order in which the rows of a restored server return.
    func reuses(by row: FeedPage.Row, of page: FeedPage, _ walk: inout Walk) throws(TidemarkError) -> [Reuse] {
        guard self.member != nil, let name = page.name(of: row) else { return [] }
        let (pk, key) = (page.pk(of: row), CodePointString(name))
        let owner = try self.owner(of: name, walk)
        // A deletion may have only the name.
        let isNameOnly = row.isTombstone && CodePointString(pk) == key
        if let owner, isNameOnly || CodePointString(owner.pk) == CodePointString(pk) {
            walk.owners[key] = (owner.pk, row.isTombstone)
            return []
        }
        walk.owners[key] = (pk, row.isTombstone)
        let former = owner.map { Reuse(name: name, former: $0.pk, isAfterDeletion: $0.isDeleted) }
        let move = row.isTombstone ? nil : try self.move(of: pk, to: name)
        return [former, move].compactMap(\.self)
    }

    /// Returns the record that has a name after the rows that the walk has followed; nil if there is none.
    private func owner(of name: String, _ walk: Walk) throws(TidemarkError) -> (pk: String, isDeleted: Bool)? {
        if let owner = walk.owners[CodePointString(name)] { return owner }
        guard let stored = try self.store.record(named: name, in: self.collection) else { return nil }
        return (stored.pk, self.isDeleted(stored))
    }

    /// While the outcome of an upload is unknown, a deletion waits with it, and the record keeps its name.
    private func isDeleted(_ stored: StoredRecord) -> Bool { stored.seen.map { $0.data == nil } ?? false }

    /// Returns the former name of a record that a full resync has not returned yet, and that has another name now.
    private func move(of pk: String, to name: String) throws(TidemarkError) -> Reuse? {
        guard try self.transaction.state().resync?.isRunning == true,
            let former = try self.store.record(pk, in: self.collection)?.name,
            CodePointString(former) != CodePointString(name)
        else { return nil }
        return Reuse(name: former, former: pk, isAfterDeletion: true, isMove: true)
    }

    /// Removes the name of a record that the server uses for another one. The record is not received in this full resync, unless
    /// the server returns it under another name.
    func remove(_ reuse: Reuse) throws(TidemarkError) {
        guard var stored = try self.store.record(reuse.former, in: self.collection),
            stored.name.map({ CodePointString($0) }) == CodePointString(reuse.name)
        else { return }
        let generation = try self.transaction.state().resyncGeneration
        // Of two records with one pk, the first one that the full resync returns keeps it.
        guard !reuse.isMove || stored.resyncGeneration < generation else { return }
        stored.name = nil
        stored.resyncGeneration = min(stored.resyncGeneration, generation - 1)
        try self.store.save(stored, in: self.collection)
    }
}

// MARK: - Answers

extension RowIdentity {
    /// Returns how an answer shows that the server has given the name of a record to another one; nil if it does not. Then its
    /// history is not that of the store.
    ///
    /// - Parameters:
    ///   - page: The valid rows of the answer.
    ///   - mayBegin: Whether the rows belong to a full resync, which finds the place of each record anew.
    func loss(
        in results: [UploadResult], _ page: FeedPage, mayBegin: Bool
    ) throws(TidemarkError) -> String? {
        guard self.member != nil else { return nil }
        for result in results {
            if let loss = try self.loss(in: result) { return loss }
        }
        guard !mayBegin else { return nil }
        var walk = Walk()
        for row in page.rows where !row.name.isEmpty {
            let reuses = try self.reuses(by: row, of: page, &walk)
            guard let reuse = reuses.first(where: { !$0.isAfterDeletion }) else { continue }
            return self.words(reuse.name, reuse.former, page.pk(of: row))
        }
        return nil
    }

    private func loss(in result: UploadResult) throws(TidemarkError) -> String? {
        guard let pk = self.transaction.exchange.machine.request.name(of: result.requestID)?.value,
            let version = result.version
        else { return nil }
        let stored = try self.store.record(pk, in: self.collection)
        let name = result.name ?? stored?.name
        if let name, let other = try self.store.record(named: name, in: self.collection),
            CodePointString(other.pk) != CodePointString(pk)
        {
            return self.words(name, other.pk, pk)
        }
        guard let data = version.data, let name else { return nil }
        switch self.declared(in: data) {
        case .pk(let other) where CodePointString(other) != CodePointString(pk): return self.words(name, pk, other)
        // An accepted edit need not show the member; but a change that is merged with the row of another record would be sent
        // to it.
        case .nothing where result.isConflict && CodePointString(name) != CodePointString(pk):
            return self.words(name, pk, name)
        case .pk, .nothing, .other: return nil
        }
    }

    private func words(_ name: String, _ former: String, _ now: String) -> String {
        "The server's record “\(name)” was “\(former)”, and is “\(now)” now: the server was restored from a backup, or it uses "
            + "the names of deleted records again."
    }

    /// Returns a result that can be applied: a change can't be merged with a row whose pk can't be read, so it is held.
    func checked(_ result: UploadResult) -> UploadResult {
        guard let member, result.isConflict, let data = result.version?.data, self.declared(in: data) == .other else {
            return result
        }
        let reason =
            "The server's row has no text in “\(member)”, so it is unknown which record it is. Correct it on the server."
        var held = result
        held.outcome = .refused(
            ProblemDetails(status: 409, title: reason, document: ["title": .string(JSONString(reason))]))
        return held
    }

    /// The content of the member with the pk.
    private enum Declared: Hashable {
        case pk(String)

        /// There is no such member, or it is null.
        case nothing

        /// It is not a string, or an empty one.
        case other
    }

    private func declared(in data: [UInt8]) -> Declared {
        guard let member, let value = (try? JSON(parsing: data))?[pointer: member], !value.isNull else {
            return .nothing
        }
        guard let pk = value.string, !pk.isEmpty else { return .other }
        return .pk(pk)
    }
}

extension UploadResult {
    fileprivate var isConflict: Bool {
        if case .conflicted = self.outcome { true } else { false }
    }
}
