import TidemarkCore
import TidemarkMachine
import TidemarkRules

extension StoreConformance {
    static let erasingChecks: [Check] = [
        Check("everything is erased at once, or nothing if the transaction throws") { store in
            let empty = try Contents(of: store)
            try Self.prepare(store)
            let full = try Contents(of: store)
            try Self.abort(store) { () throws(TidemarkError) in try store.eraseAll() }
            try expect("the store after undoing it", try Contents(of: store), is: full)
            try store.transaction { () throws(TidemarkError) in try store.eraseAll() }
            try expect("the store", try Contents(of: store), is: empty)
        },
        Check("an erased store accepts new data, and reuses no number") { store in
            try Self.prepare(store)
            try store.transaction { () throws(TidemarkError) in
                try store.eraseAll()
                try store.save(Self.bareRecord("new", .created(.idle)), in: "c")
            }
            try store.transaction { () throws(TidemarkError) in
                _ = try store.append(Self.entry("new", value: nil), in: "c")
            }
            try expect("the records", try store.recordsToSend(in: "c", limit: 9).map(\.pk), is: ["new"])
            try expect("the journal", try store.journal(of: nil, in: "c").map(\.number), is: [2])
        },
        Check("a closed store has committed its data before") { store in
            try Self.prepare(store)
            store.close()
            store.close()
        },
    ]
}
