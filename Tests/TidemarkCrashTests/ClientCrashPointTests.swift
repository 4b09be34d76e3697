import Testing
import TidemarkCore
import TidemarkJSON
import TidemarkTesting

@Suite("A client on a disk that breaks")
struct ClientCrashPointTests {
    /// The app's writes, and those that were acknowledged to it.
    private struct Ledger {
        /// The number of its increments, and the number of those acknowledged.
        var (tried, kept) = (0, 0)
        /// The records whose create or delete was acknowledged; a record without an acknowledgement may exist or not.
        var (created, deleted): (Set<String>, Set<String>) = ([], [])
        var isDeleting: Set<String> = []
        var hasFailed = false
    }

    /// A server, another device, and the ledger of the one on the disk.
    private final class World {
        let scenario: SyncScenario
        var ledger = Ledger()
        let goesOn: Bool

        init(goesOn: Bool) throws {
            self.scenario = try SyncScenario(devices: ["tablet"], configuration: Phone.configuration())
            self.goesOn = goesOn
        }

        private var tablet: Device { self.scenario.phone }

        /// One action of a process. After a failure the process ends, or continues with the next action.
        private func attempt(_ act: () throws -> Void, then note: (inout Ledger) -> Void = { _ in }) throws {
            do {
                try act()
                note(&self.ledger)
            } catch {
                self.ledger.hasFailed = true
                guard self.goesOn else { throw error }
            }
        }

        private func count(_ phone: Phone) throws {
            self.ledger.tried += 1
            try self.attempt({ try phone.count("a") }, then: { $0.kept += 1 })
        }

        private func create(_ phone: Phone, _ pk: String) throws {
            try self.attempt({ try phone.create(["count": 0], pk: pk) }, then: { $0.created.insert(pk) })
        }

        /// Creates, edits, uploads, pulls, merges, edits during an upload, and deletes.
        func day(on file: String) throws {
            let phone = try Phone(file, run: 1)
            defer { phone.close() }
            try self.create(phone, "a")
            try self.create(phone, "b")
            try self.count(phone)
            try self.attempt { try phone.sync(with: self.scenario.remote) }
            try self.elsewhere()
            try self.count(phone)
            try self.attempt {
                try phone.sync(with: self.scenario.remote) { try self.count(phone) }
            }
            self.ledger.isDeleting.insert("b")
            try self.attempt({ try phone.delete("b") }, then: { $0.deleted.insert("b") })
            try self.attempt { try phone.sync(with: self.scenario.remote) }
        }

        /// The other device adds ten, and creates a record that the phone must receive.
        private func elsewhere() throws {
            try self.scenario.sync(self.tablet)
            if try self.tablet.view("a") != nil {
                try self.tablet.edit("a") { $0["count"] = .number(JSONNumber(($0["count"]?.int ?? 0) + 10)) }
                self.added += 10
            }
            if try self.tablet.view("c") == nil { try self.tablet.create(["count": 0], pk: "c") }
            try self.scenario.sync(self.tablet)
        }

        private var added = 0

        /// Checks the state after the fault, on a working disk.
        func check(_ file: String) throws {
            let phone = try Phone(file, run: 2)
            defer { phone.close() }
            #expect(try phone.isSound)
            let counts = try phone.projectedCounts()
            for pk in ["a", "b", "c"] { #expect(try phone.view(pk)?["count"]?.int.map { Int64($0) } == counts[pk]) }
            for pk in self.ledger.created.subtracting(self.ledger.isDeleting) { #expect(try phone.view(pk) != nil) }
            for pk in self.ledger.deleted { #expect(try phone.view(pk) == nil) }
            for _ in 0..<3 {
                try phone.sync(with: self.scenario.remote)
                try self.scenario.sync(self.tablet)
            }
            for pk in ["a", "b", "c"] {
                let server = try self.scenario.onServer(pk)
                #expect(try phone.view(pk) == server, "I3 \(pk)")
                #expect(try self.tablet.view(pk) == server, "I3 \(pk) elsewhere")
            }
            #expect(try phone.engine.unsent().isEmpty)
            for pk in self.ledger.deleted { #expect(try self.scenario.onServer(pk) == nil) }
            if self.ledger.created.contains("a") {
                let count = try #require(try self.scenario.onServer("a"))["count"]?.int ?? 0
                #expect((self.ledger.kept...self.ledger.tried).contains(count - self.added), "I1 counted \(count)")
            }
        }
    }

    @Test(arguments: BrokenDisk.Fault.allCases)
    func `no acknowledged write is lost or counted twice on a broken disk (I1, I2, I10)`(
        fault: BrokenDisk.Fault
    ) throws {
        let sound = try BrokenDisk()
        let changes = try sound.breaking(fault, at: 0) {
            let world = try World(goesOn: false)
            try world.day(on: sound.path("a.db"))
            #expect(!world.ledger.hasFailed)
        }
        // Without this check a disk without writes would pass as well.
        #expect(changes > 60)
        var failures = 0
        let places = fault.places(of: changes)
        for change in places {
            let disk = try BrokenDisk()
            let world = try World(goesOn: !fault.endsTheProcess)
            try disk.breaking(fault, at: change) {
                do {
                    try world.day(on: disk.path("a.db"))
                } catch {
                    world.ledger.hasFailed = true
                }
            }
            failures += world.ledger.hasFailed ? 1 : 0
            #expect(throws: Never.self, "\(fault) at change \(change) of \(changes)") {
                try world.check(disk.path("a.db"))
            }
        }
        #expect(failures > places.count / 2)
    }
}
