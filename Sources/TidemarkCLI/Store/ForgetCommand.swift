import Tidemark

/// `tidemark forget`: removes a collection from a store.
enum ForgetCommand: Command {
    static let name = "forget"
    static let summary = "remove a fully sent collection from this store only"
    static let parameters = [Parameter.collection]
    static let options = [Option.store]
    static let example = "tidemark forget --store phone.db notes"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let store = try await OpenStore(input)
        let collection = try await store.known(try input.required(0))
        let count = try await collection.status.counts.values.reduce(0, +)
        let entries = try await collection.journal.count
        try await collection.forget()
        let records = count == 1 ? "1 record" : "\(count) records"
        let journal = entries == 0 ? "" : entries == 1 ? " and 1 journal entry" : " and \(entries) journal entries"
        console.say("\(collection.name): removed \(records)\(journal) from \(store.path)")
        if try await store.knows(collection.name) {
            console.say("The rules of the store name the collection, so the next sync without names adds it again.")
        }
        return .success
    }
}
