import Testing
import TidemarkCore
import TidemarkJSON
import TidemarkRules
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

    @Test(arguments: BrokenDisk.Fault.allCases)
    func `a transaction over three collections is stored as a whole or not at all, on a broken disk (R25, I10)`(
        fault: BrokenDisk.Fault
    ) throws {
        let names = ["lists", Phone.collection, "tags"]
        func move(on file: String) throws {
            let phone = try Phone(file, run: 1)
            defer { phone.close() }
            _ = try phone.engine.transact { (t) throws(TidemarkError) in
                for name in names { try t[name].create(["count": 1], pk: "a") }
            }
        }
        let sound = try BrokenDisk()
        let changes = try sound.breaking(fault, at: 0) { try move(on: sound.path("a.db")) }
        var stored = 0
        for change in fault.places(of: changes) {
            let disk = try BrokenDisk()
            try disk.breaking(fault, at: change) { try? move(on: disk.path("a.db")) }
            let phone = try Phone(disk.path("a.db"), run: 2)
            defer { phone.close() }
            let found = try names.filter { try phone.engine.snapshot(of: "a", in: $0) != nil }
            #expect(found.isEmpty || found == names, "\(fault) at change \(change) of \(changes)")
            stored += found.isEmpty ? 0 : 1
        }
        #expect(stored < changes)
        let whole = try Phone(sound.path("a.db"), run: 2)
        defer { whole.close() }
        #expect(try names.allSatisfy { try whole.engine.snapshot(of: "a", in: $0) != nil })
    }

    /// SQLite ends a transaction by itself when a read of it fails; a write after it would be committed alone.
    @Test func `a transaction whose closure catches a failed read stores nothing (R25)`() throws {
        let names = ["lists", Phone.collection, "tags"]
        var failures = 0
        for read in Int64(1)...60 {
            let disk = try BrokenDisk()
            let first = try Phone(disk.path("a.db"), run: 1)
            _ = try first.engine.transact { (t) throws(TidemarkError) in
                for name in names {
                    for number in 0..<60 { try t[name].create(["count": 1, "text": Self.longText], pk: "\(number)") }
                }
            }
            first.close()
            var wasStored: Bool?
            try disk.failing(atRead: read) {
                guard let phone = try? Phone(disk.path("a.db"), run: 2) else { return }
                defer { phone.close() }
                let done = try? phone.engine.transact { (t) throws(TidemarkError) in
                    for name in names {
                        try t[name].create(["count": 2], pk: "new")
                        // The app ignores the contents, and the errors.
                        _ = try? t[name]["31"].get()
                        _ = try? t[name].all()
                    }
                }
                wasStored = done != nil
            }
            let phone = try Phone(disk.path("a.db"), run: 3)
            defer { phone.close() }
            let found = try names.filter { try phone.engine.snapshot(of: "new", in: $0) != nil }
            #expect(found == (wasStored == true ? names : []), "read \(read)")
            failures += wasStored == false ? 1 : 0
        }
        #expect(failures > 3, "some reads within the transaction have failed")
    }

    private static let longText = JSON(
        String(repeating: "A page of the file is full after a few of these. ", count: 40))
}
