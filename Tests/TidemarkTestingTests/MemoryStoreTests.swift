import Testing
import TidemarkCore
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

@Suite struct `A store in memory` {
    @Test(arguments: StoreConformance.checks)
    func `the store in memory keeps the contract of a store`(check: StoreConformance.Check) throws {
        try check.run { MemoryStore() }
    }

    @Test func `a snapshot has the committed data, and no open transaction`() throws {
        let store = MemoryStore()
        try store.transaction { () throws(TidemarkError) in try store.set("a", to: "1") }
        let committed = store.snapshot
        try store.transaction { () throws(TidemarkError) in
            try store.set("a", to: "2")
            try store.save(CollectionState(cursor: "w"), of: "c")
            #expect(try MemoryStore(snapshot: store.snapshot).setting("a") == "1")
            #expect(try MemoryStore(snapshot: store.snapshot).collections() == [])
        }
        #expect(store.snapshot != committed)
        #expect(try MemoryStore(snapshot: store.snapshot).setting("a") == "2")
        #expect(try MemoryStore(snapshot: committed).setting("a") == "1")
    }

    @Test(arguments: 0...2)
    func `a planned failure of a write undoes its transaction`(count: Int) throws {
        let store = MemoryStore()
        let full = TidemarkError(.storeFull, "full")
        store.failNextWrite(after: count, with: full)
        let error = #expect(throws: TidemarkError.self) {
            try store.transaction { () throws(TidemarkError) in
                // A body that ignores the error does not commit half of a transaction.
                try? store.set("a", to: "1")
                try? store.set("b", to: "2")
            }
        }
        #expect(error?.code == .storeFull)
        #expect(try store.setting("a") == nil)
        #expect(try store.setting("b") == nil)
        try store.transaction { () throws(TidemarkError) in try store.set("a", to: "1") }
        #expect(try store.setting("a") == "1")
    }

    @Test func `each write and each end of a transaction is counted`() throws {
        let store = MemoryStore()
        try store.transaction { () throws(TidemarkError) in
            try store.set("a", to: "1")
            try store.erase("b", in: "c")
        }
        #expect(store.writes == 3)
    }

    @Test func `a write to the memory store outside of a transaction stops the program`() async {
        await #expect(processExitsWith: .failure) { try MemoryStore().set("a", to: "1") }
    }

    @Test func `a memory store's transaction inside another one stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let store = MemoryStore()
            try store.transaction { () throws(TidemarkError) in
                try store.transaction { () throws(TidemarkError) in }
            }
        }
    }
}
