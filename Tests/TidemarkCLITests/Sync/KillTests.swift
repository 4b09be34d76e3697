import Foundation
import Testing
import Tidemark

/// kill -9 of the client or the server at any moment (I10): after the next sync nothing is lost and nothing is there twice.
@Suite struct `A process that is killed in the middle of a sync` {
    static let count = 400

    /// Each draws its own moments; what has happened by then is up to the machine, and any moment is legal.
    static let seeds: [UInt64] = [1, 2, 3, 4, 5, 6]

    /// The moments of a seed, in milliseconds after the start of a sync.
    private struct Moments {
        private var generator: SeededGenerator

        init(seed: UInt64) { self.generator = SeededGenerator(seed: seed) }

        mutating func next(below limit: Int) -> Int { Int.random(in: 5..<limit, using: &self.generator) }
    }

    private static func records(price: Int) -> [String] {
        (0..<Self.count).map { #"{"id":\#($0 + 1_000),"price":\#(price).\#($0)0}"# }
    }

    private static func write(_ records: [String], _ shop: Workshop) throws {
        try shop.done("import", "--store", "a.db", "notes", "-", "--pk", "id", input: records.joined(separator: "\n"))
    }

    /// What a device shows: the data of its records, and nothing that is not in step.
    private static func contents(_ shop: Workshop, _ store: String) throws -> [String] {
        let lines = try shop.run("list", "--store", store, "notes").lines
        return lines.map { $0.replacingOccurrences(of: "\tSYNCD\t", with: " ") }
    }

    private static func expected(price: Int) -> [String] {
        self.records(price: price).enumerated().map { "\($0.offset + 1_000) \($0.element)" }
    }

    @Test(arguments: Self.seeds)
    func `as the client goes on where it was, with what it made and with what it changed`(_ seed: UInt64) throws {
        var moments = Moments(seed: seed)
        let shop = try Workshop()
        let server = try shop.serve("--page", "50")
        try shop.device("a.db", server)
        try shop.device("b.db", server)
        for price in [1, 2] {
            try Self.write(Self.records(price: price), shop)
            // While sending, and the second device while receiving.
            for (store, limit) in [("a.db", 900), ("b.db", 150)] {
                try shop.start(["sync", "--store", store, "notes"]).kill(after: moments.next(below: limit))
                try shop.done("sync", "--store", store, "notes")
                #expect(try Self.contents(shop, store) == Self.expected(price: price))
            }
        }
    }

    @Test(arguments: Self.seeds)
    func `as the server has what it said it has, and takes the rest once`(_ seed: UInt64) throws {
        var moments = Moments(seed: seed)
        let shop = try Workshop()
        try Self.write(Self.records(price: 1), shop)
        let server = try shop.serve("--page", "50")
        try shop.device("a.db", server)
        let sync = try shop.start(["sync", "--store", "a.db", "notes"])
        server.tool.kill(after: moments.next(below: 900))
        _ = try sync.finish()
        let again = try ToolServer(
            try shop.start(["serve", "--store", "server.db", "--listen", server.address, "--page", "50"]))
        try shop.done("sync", "--store", "a.db", "notes")
        try shop.device("b.db", again)
        try shop.done("sync", "--store", "b.db", "notes")
        #expect(try Self.contents(shop, "a.db") == Self.expected(price: 1))
        #expect(try Self.contents(shop, "b.db") == Self.expected(price: 1))
    }
}
