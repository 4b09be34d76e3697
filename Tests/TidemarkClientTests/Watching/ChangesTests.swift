import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Contract §8: the changes that the app is told, one by one, in bounded memory.
@Suite(.timeLimit(.minutes(10))) struct ChangesTests {
    @Test func `a slow listener gets changes in order, or all when they exceed the limit`() async throws {
        let shelf = try await Shelf()
        let limit = CollectionChange.limit
        var changes = shelf.books.changes.makeAsyncIterator()
        try await shelf.books.upsert((1...limit).map { RecordInput(pk: "\($0)", content: [:]) })
        for number in 1...limit { #expect(try await changes.next()?.change?.pk == "\(number)") }
        try await shelf.books.upsert((0...limit).map { RecordInput(pk: "\($0)", content: ["n": 1]) })
        try await shelf.books.create([:], pk: "after")
        #expect(try await changes.next() == .all)
        #expect(try await changes.next()?.change?.pk == "after")
    }

    @Test func `one input reports a bounded number of changes (Contract §3.2)`() throws {
        let phone = try SyncScenario(devices: ["phone"]).phone
        func upsert(_ count: Int) throws {
            let contents = (0..<count).map { RecordInput(pk: "\($0)", content: ["n": JSON.number(JSONNumber(count))]) }
            try phone.run { (engine) throws(TidemarkError) in
                try engine.upsert(contents, in: SyncScenario.collection).effects
            }
        }
        try upsert(CollectionChange.limit)
        #expect(phone.changes.count == CollectionChange.limit && phone.changedCollections.isEmpty)
        try upsert(3 * CollectionChange.limit)
        #expect(phone.changes.count == CollectionChange.limit && phone.changedCollections == [SyncScenario.collection])
    }

    @Test func `a change queue never holds more than its limit`() {
        var queue = ChangeQueue()
        for number in 0..<(3 * CollectionChange.limit) {
            queue.append(RecordChange(collection: "books", pk: "\(number)", origin: .app, phase: .synced))
            #expect(queue.count <= CollectionChange.limit)
        }
        #expect(queue.next() == .all)
    }

    @Test func `each changed name is kept once; beyond the limit all records count as changed`() {
        var names = ChangedNames.some([])
        for _ in 1...2 {
            for number in 1...ChangedNames.limit { names.insert(CodePointString("\(number)")) }
        }
        guard case .some(let kept) = names else { return #expect(Bool(false), "they are not too many") }
        #expect(kept.count == ChangedNames.limit)
        names.insert("one more")
        #expect(names == .all)
        names.insert("and one more")
        #expect(names == .all)
    }

    @Test func `a listener gets only its own collection's changes, and notice that it is forgotten`() async throws {
        let shelf = try await Shelf()
        try await shelf.books.create([:], pk: "a")
        _ = try await shelf.client.sync()
        var changes = shelf.books.changes.makeAsyncIterator()
        try await shelf.client["tags"].create([:], pk: "b")
        try await shelf.books.forget()
        #expect(try await changes.next() == .all)
    }
}
