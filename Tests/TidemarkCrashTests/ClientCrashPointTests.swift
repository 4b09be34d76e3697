import Testing
import TidemarkCore
import TidemarkJSON
import TidemarkTesting

@Suite("A client on a disk that breaks")
struct ClientCrashPointTests {
    /// What the app was told of what it did.
    private struct Ledger {
        /// How often it counted, and how often it was told that this is kept.
        var (tried, kept) = (0, 0)
        /// What it was told is there, and is gone; what it was told nothing of may be either.
        var (created, deleted): (Set<String>, Set<String>) = ([], [])
        var isDeleting: Set<String> = []
        var hasFailed = false
    }

    /// A server, another device, and the ledger of the one on the disk.
    private final class World {
        let meeting: Meeting
        var ledger = Ledger()
        let goesOn: Bool

        init(goesOn: Bool) throws {
            self.meeting = try Meeting(devices: ["tablet"], configuration: Phone.configuration())
            self.goesOn = goesOn
        }

        private var tablet: Device { self.meeting.phone }

        /// What a process does before it is killed, or goes on with after it was told that something failed.
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

        /// Makes, edits, sends, takes in, merges, edits while something is sent, and deletes.
        func day(on file: String) throws {
            let phone = try Phone(file, run: 1)
            defer { phone.close() }
            try self.create(phone, "a")
            try self.create(phone, "b")
            try self.count(phone)
            try self.attempt { try phone.sync(with: self.meeting.remote) }
            try self.elsewhere()
            try self.count(phone)
            try self.attempt {
                try phone.sync(with: self.meeting.remote) { try self.count(phone) }
            }
            self.ledger.isDeleting.insert("b")
            try self.attempt({ try phone.delete("b") }, then: { $0.deleted.insert("b") })
            try self.attempt { try phone.sync(with: self.meeting.remote) }
        }

        /// The other device adds ten, and makes a record that has to come.
        private func elsewhere() throws {
            try self.meeting.sync(self.tablet)
            if try self.tablet.view("a") != nil {
                try self.tablet.edit("a") { $0["count"] = .number(JSONNumber(($0["count"]?.int ?? 0) + 10)) }
                self.added += 10
            }
            if try self.tablet.view("c") == nil { try self.tablet.create(["count": 0], pk: "c") }
            try self.meeting.sync(self.tablet)
        }

        private var added = 0

        /// What is found after it, on a disk that works.
        func check(_ file: String) throws {
            let phone = try Phone(file, run: 2)
            defer { phone.close() }
            #expect(try phone.isSound)
            for pk in self.ledger.created.subtracting(self.ledger.isDeleting) { #expect(try phone.view(pk) != nil) }
            for pk in self.ledger.deleted { #expect(try phone.view(pk) == nil) }
            for _ in 0..<3 {
                try phone.sync(with: self.meeting.remote)
                try self.meeting.sync(self.tablet)
            }
            for pk in ["a", "b", "c"] {
                let server = try self.meeting.onServer(pk)
                #expect(try phone.view(pk) == server, "I3 \(pk)")
                #expect(try self.tablet.view(pk) == server, "I3 \(pk) elsewhere")
            }
            #expect(try phone.engine.unsent().isEmpty)
            for pk in self.ledger.deleted { #expect(try self.meeting.onServer(pk) == nil) }
            if self.ledger.created.contains("a") {
                let count = try #require(try self.meeting.onServer("a"))["count"]?.int ?? 0
                #expect((self.ledger.kept...self.ledger.tried).contains(count - self.added), "I1 counted \(count)")
            }
        }
    }

    @Test(arguments: BrokenDisk.Fault.allCases)
    func `I1 I2 I10 nothing that an app was told is kept is lost, or counted twice, where a disk breaks at any change`(
        fault: BrokenDisk.Fault
    ) throws {
        let sound = try BrokenDisk()
        let changes = try sound.breaking(fault, at: 0) {
            let world = try World(goesOn: false)
            try world.day(on: sound.path("a.db"))
            #expect(!world.ledger.hasFailed)
        }
        // Without this a disk that nobody writes to would prove as much.
        #expect(changes > 60)
        var failures = 0
        for change in 1...changes {
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
        #expect(failures > changes / 2)
    }
}
