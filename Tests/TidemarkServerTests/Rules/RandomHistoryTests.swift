import TestSupport
import Testing
import TidemarkJSON
import TidemarkServer

/// Random histories: writers, repetitions, purges and slow readers.
@Suite("Random histories (W1 to W9)", .overEachStorage)
struct RandomHistoryTests {
    /// The first fault within `steps` steps of a seed's history, or nil.
    private func fault(seed: UInt64, steps: Int) throws -> String? {
        var history = try RandomHistory(seed: seed)
        for _ in 0..<steps {
            if let fault = try history.step() {
                return fault
            }
        }
        return try history.faultAtTheEnd()
    }

    @Test(arguments: UInt64(1)...40)
    func `every reader gets exactly the server's rows, and repetitions change nothing`(seed: UInt64) throws {
        // PostgreSQL takes ten times as long, and its own faults show with any seed.
        guard StorageOfTest.present == nil || seed <= 10 else { return }
        let steps = 60
        guard var fault = try self.fault(seed: seed, steps: steps) else { return }
        // The shortest history of this seed with the fault.
        var shortest = steps
        for fewer in 0..<steps {
            if let earlier = try self.fault(seed: seed, steps: fewer) {
                fault = earlier
                shortest = fewer
                break
            }
        }
        Issue.record("seed \(seed), \(shortest) steps: \(fault)")
    }
}

/// One server, three readers that also write, and the results of the edits.
private struct RandomHistory {
    private var random: SeededGenerator
    private let server: ServerHarness
    private var readers = [FeedReader(), FeedReader(), FeedReader()]
    private var answered: [(edit: JSON, result: String)] = []
    private var count = 0
    private let names = ["a", "b", "c", "d", "e"]

    init(seed: UInt64) throws {
        self.random = SeededGenerator(seed: seed)
        self.server = try ServerHarness()
    }

    mutating func step() throws -> String? {
        switch Int.random(in: 0..<10, using: &self.random) {
        case 0...4:
            return try self.write()
        case 5:
            return try self.repeatOne()
        case 6:
            self.server.clock.advance(days: Int64.random(in: 0..<40, using: &self.random))
            // Answers are purged with the tombstones, so an edit that was answered before may be carried out again.
            let purged = try self.server.core.purge()
            if purged.answers > 0 {
                self.answered = []
            }
            return nil
        default:
            let reader = Int.random(in: 0..<3, using: &self.random)
            _ = try self.readers[reader].readPage(of: self.server, limit: Int.random(in: 1..<4, using: &self.random))
            return nil
        }
    }

    /// All readers read to the end: then each has exactly the server's rows.
    mutating func faultAtTheEnd() throws -> String? {
        for reader in self.readers.indices {
            while try self.readers[reader].readPage(of: self.server, limit: 2) {}
            for name in self.names {
                let (status, text) = self.server.get(name)
                let known = self.readers[reader].items[name]
                if known != (status == 200 ? text : nil) {
                    return "reader \(reader) knows \(known ?? "nothing") of \(name), the server says \(status) \(text)"
                }
            }
        }
        return nil
    }

    private mutating func write() throws -> String? {
        let reader = Int.random(in: 0..<3, using: &self.random)
        let name = self.names.randomElement(using: &self.random) ?? "a"
        let before = self.server.get(name)
        let edit = self.edit(of: name, known: self.readers[reader].versions[name])
        let result = try #require(try self.server.post(edit).results.first)
        self.answered.append((edit, result.json.text))
        let after = self.server.get(name)
        if !result.isAccepted, before != after {
            return "W2: \(edit.text) was not accepted, and yet \(before) became \(after)"
        }
        // The writer may also learn of it from its own POST, which repeats the edit.
        if Bool.random(using: &self.random) {
            try self.readers[reader].post([edit], to: self.server, limit: Int.random(in: 1..<4, using: &self.random))
        }
        return nil
    }

    private mutating func edit(of name: String, known version: Int?) -> JSON {
        self.count += 1
        let id = "r\(self.count)"
        let value = JSON.number(JSONNumber(Int.random(in: 0..<3, using: &self.random)))
        return switch Int.random(in: 0..<4, using: &self.random) {
        case 0: created(id, name, ["a": value], over: Bool.random(using: &self.random) ? version : nil)
        case 1: deleted(id, name, version)
        default: setting(id, name, version, to: value)
        }
    }

    private mutating func repeatOne() throws -> String? {
        guard let old = self.answered.randomElement(using: &self.random) else { return nil }
        let before = try self.server.list().text
        let again = try #require(try self.server.post(old.edit).results.first).json.text
        let after = try self.server.list().text
        if again != old.result {
            return "W4: \(old.edit.text) was answered \(old.result), and then \(again)"
        }
        return before == after ? nil : "W4: repeating \(old.edit.text) changed \(before) to \(after)"
    }
}
