import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// A server that was put back to a backup has lost what it acknowledged (SPEC §6).
@Suite struct ServerWentBackTests {
    let server: RestorableServer
    let phone: Device
    let laptop: Device

    /// Both have record 1, and the server has a backup of that.
    init() throws {
        try self.init(SyncConfiguration())
    }

    private init(_ configuration: SyncConfiguration) throws {
        self.server = try RestorableServer()
        self.phone = try Device("phone", seed: 1, clock: self.server.clock, configuration: configuration)
        self.laptop = try Device("laptop", seed: 2, clock: self.server.clock, configuration: configuration)
        try self.laptop.create(["title": "Milk", "n": 1], pk: "1")
        try self.server.sync(self.laptop, self.phone)
        try self.server.backUp()
    }

    private static func with(_ policy: ServerWentBackPolicy, pageSize: Int = 500) -> SyncConfiguration {
        var configuration = SyncConfiguration(serverWentBack: policy)
        configuration.limits.pageSize = pageSize
        return configuration
    }

    private static func lines(_ device: Device) throws -> [String] {
        try device.journal().map { entry in
            let value = entry.raw.value.map { String(decoding: $0, as: UTF8.self) } ?? "removed"
            return "\(entry.pk) \(entry.reason) \(entry.path) \(value)"
        }
    }

    @discardableResult
    private func restoreAll(_ device: Device) throws -> Restoration {
        var restoration: Restoration?
        try device.run { (engine) throws(TidemarkError) in
            let outcome = try engine.restoreAll(.serverWentBack, in: Meeting.collection)
            restoration = outcome.value
            return outcome.effects
        }
        return try #require(restoration)
    }

    private func expectAgreement(_ pk: String, _ content: JSON?) throws {
        #expect(try self.server.content(pk) == content)
        for device in [self.phone, self.laptop] {
            #expect(try device.view(pk) == content, "\(device.name)")
            #expect(try device.phase(pk) == (content == nil ? .absent : .synced), "\(device.name)")
        }
    }

    @Test func `server-went-back (I1): a record that the server has lost is journalled, counted, and sent again`()
        throws
    {
        try self.laptop.create(["title": "Bread"], pk: "2")
        try self.server.sync(self.laptop, self.phone)
        try self.server.putBack()
        try self.server.sync(self.phone)
        #expect(try self.phone.phase("2") == .absent)
        #expect(self.phone.reports.last?.lostByServer == 1)
        #expect(self.phone.reports.last?.outcome == .inStep)
        #expect(try Self.lines(self.phone) == [#"2 server-went-back  {"title":"Bread"}"#])
        #expect(try self.phone.engine.status(of: Meeting.collection).lostByServer == 1)
        try self.phone.restart()
        #expect(try self.phone.engine.status(of: Meeting.collection).lostByServer == 1)

        #expect(try self.restoreAll(self.phone).restored == [1])
        #expect(try self.phone.engine.status(of: Meeting.collection).lostByServer == 0)
        try self.server.sync(self.phone, self.laptop, self.phone)
        try self.expectAgreement("2", ["title": "Bread"])
        try self.expectAgreement("1", ["title": "Milk", "n": 1])
        #expect(self.phone.reports.last?.lostByServer == nil, "it is told once")
        #expect(try self.restoreAll(self.phone).restored.isEmpty, "it is brought back once")
    }

    @Test func `server-went-back (I1): a value that the server has lost is journalled, and set again`() throws {
        try self.phone.edit("1") { $0.title = "Oat milk" }
        try self.server.sync(self.phone, self.laptop)
        try self.server.putBack()
        try self.server.sync(self.laptop)
        #expect(try self.laptop.view("1") == ["title": "Milk", "n": 1])
        #expect(self.laptop.reports.last?.lostByServer == 1)
        #expect(try Self.lines(self.laptop) == [#"1 server-went-back /title "Oat milk""#])
        #expect(try self.laptop.journal().first?.raw.stamp != (try self.laptop.snapshot("1")?.raw.stamp))
        try self.restoreAll(self.laptop)
        #expect(try self.laptop.phase("1") == .edited(.idle))
        try self.server.sync(self.laptop, self.phone, self.laptop)
        try self.expectAgreement("1", ["title": "Oat milk", "n": 1])
    }

    @Test func `server-went-back: another epoch is a server that went back, too`() throws {
        try self.server.setUpAnew()
        try self.server.sync(self.phone)
        #expect(self.phone.reports.last?.lostByServer == 1)
        #expect(try Self.lines(self.phone) == [#"1 server-went-back  {"title":"Milk","n":1}"#])
        try self.restoreAll(self.phone)
        try self.server.sync(self.phone, self.laptop)
        try self.expectAgreement("1", ["title": "Milk", "n": 1])
    }

    @Test func `server-went-back: both devices bring the same back, and it is one record`() throws {
        try self.laptop.create(["title": "Bread"], pk: "2")
        try self.server.sync(self.laptop, self.phone)
        try self.server.putBack()
        try self.server.sync(self.laptop, self.phone)
        for device in [self.laptop, self.phone] where try device.view("2") == nil { try self.restoreAll(device) }
        try self.server.sync(self.laptop, self.phone, self.laptop)
        try self.expectAgreement("2", ["title": "Bread"])
    }

    @Test func `server-went-back: what is changed here since is the tactic's to decide, and not told twice`() throws {
        try self.phone.edit("1") { view in
            view.title = "Oat milk"
            view.n = 2
        }
        try self.server.sync(self.phone)
        try self.phone.edit("1") { $0.title = "Soy milk" }
        try self.server.putBack()
        try self.server.sync(self.phone, self.laptop)
        #expect(try Self.lines(self.phone).filter { $0.contains("server-went-back") } == ["1 server-went-back /n 2"])
        try self.expectAgreement("1", ["title": "Soy milk", "n": 1])
    }

    @Test func `server-went-back: what was deleted here since stays deleted, and is said to be left`() throws {
        try self.phone.edit("1") { $0.title = "Oat milk" }
        try self.server.sync(self.phone)
        try self.server.putBack()
        try self.server.sync(self.phone)
        try self.phone.delete("1")
        let restoration = try self.restoreAll(self.phone)
        #expect(restoration.restored.isEmpty)
        #expect(restoration.left.map(\.pk) == ["1"])
        try self.server.sync(self.phone, self.laptop)
        try self.expectAgreement("1", nil)
    }

    @Test(arguments: [1, 2, 500])
    func `server-went-back: it is remembered through a listing that breaks off, and a restart`(pageSize: Int) throws {
        let test = try Self(Self.with(.journal, pageSize: pageSize))
        for pk in ["2", "3"] { try test.laptop.create(["n": 2], pk: pk) }
        try test.laptop.edit("1") { $0.n = 5 }
        try test.server.sync(test.laptop, test.phone)
        try test.server.putBack()
        try test.phone.sync(Meeting.collection)
        try test.server.carryOne(test.phone)
        try test.phone.failNext(RemoteFailure(.offline, "the network went"))
        try test.phone.restart()
        try test.server.sync(test.phone)
        #expect(
            try Self.lines(test.phone).sorted() == [
                "1 server-went-back /n 5", #"2 server-went-back  {"n":2}"#, #"3 server-went-back  {"n":2}"#,
            ])
        #expect(test.phone.reports.last?.lostByServer == 3)
    }

    @Test func `server-went-back: a row that changes while it is listed is not one that the server lost`() throws {
        let test = try Self(Self.with(.journal, pageSize: 1))
        for pk in ["2", "3"] { try test.laptop.create(["n": 2], pk: pk) }
        try test.server.sync(test.laptop, test.phone)
        try test.server.backUp()
        try test.laptop.create(["n": 2], pk: "4")
        try test.server.sync(test.laptop, test.phone)
        try test.server.putBack()
        try test.server.sync(test.laptop)
        try test.phone.sync(Meeting.collection)
        for _ in 0..<2 { try test.server.carryOne(test.phone) }
        try test.laptop.edit("1") { $0.n = 7 }
        try test.server.sync(test.laptop)
        while !test.phone.outbox.isEmpty { try test.server.carryOne(test.phone) }
        #expect(try test.phone.view("1")?.n == 7)
        #expect(try Self.lines(test.phone) == [#"4 server-went-back  {"n":2}"#])
    }

    @Test func `W8 a horizon that moved on is no server that went back: what it lists no more was deleted`() throws {
        try self.laptop.create(["n": 2], pk: "2")
        try self.server.sync(self.laptop, self.phone)
        try self.laptop.delete("2")
        try self.laptop.edit("1") { $0.n = 5 }
        try self.server.sync(self.laptop)
        self.server.clock.advance(by: .seconds(100 * 86_400))
        try self.server.purge(olderThan: .seconds(90 * 86_400))
        try self.server.sync(self.phone)
        try self.expectAgreement("2", nil)
        #expect(self.phone.reports.last?.lostByServer == nil)
        #expect(try self.phone.journal().isEmpty)
    }

    @Test func `server-went-back: the policy sendAgain needs no one`() throws {
        let test = try Self(Self.with(.sendAgain))
        try test.laptop.create(["title": "Bread"], pk: "2")
        try test.laptop.edit("1") { $0.title = "Oat milk" }
        try test.server.sync(test.laptop, test.phone)
        try test.server.putBack()
        try test.server.sync(test.phone)
        #expect(test.phone.reports.last?.lostByServer == 2)
        #expect(try test.phone.engine.status(of: Meeting.collection).lostByServer == 0)
        try test.server.sync(test.phone, test.laptop, test.phone)
        try test.expectAgreement("1", ["title": "Oat milk", "n": 1])
        try test.expectAgreement("2", ["title": "Bread"])
        #expect(try test.restoreAll(test.phone).restored.isEmpty)
    }

    @Test func `server-went-back: the policy sendAgain leaves alone what was changed here since`() throws {
        let test = try Self(Self.with(.sendAgain))
        try test.laptop.create(["title": "Bread"], pk: "2")
        try test.server.sync(test.laptop, test.phone)
        try test.phone.edit("2") { $0.title = "Rolls" }
        try test.server.putBack()
        try test.server.sync(test.phone)
        #expect(try test.phone.view("2") == ["title": "Rolls"])
        #expect(try Self.lines(test.phone).contains(#"2 server-went-back  {"title":"Bread"}"#))
        let status = try test.phone.engine.status(of: Meeting.collection)
        #expect(status.lostByServer == 1, "its upload is in doubt when that is counted")
    }

    @Test func `server-went-back: the policy sendAgain leaves alone what others have added since`() throws {
        var configuration = Self.with(.sendAgain)
        configuration.rules = CollectionRules(fields: try FieldRules([("/tags", .union)]))
        let test = try Self(configuration)
        try test.laptop.edit("1") { $0.title = "Oat milk" }
        try test.server.sync(test.laptop, test.phone)
        try test.phone.edit("1") { $0.tags = ["mine"] }
        try test.server.putBack()
        try test.server.sync(test.laptop)
        try test.laptop.edit("1") { $0.tags = ["theirs"] }
        try test.server.sync(test.laptop, test.phone, test.laptop)
        let text = try test.server.content("1")?.text
        #expect(text == #"{"title":"Oat milk","n":1,"tags":["theirs","mine"]}"#)
        #expect(try Self.lines(test.phone).allSatisfy { !$0.hasPrefix("1 server-went-back /tags") })
    }

    @Test func `server-went-back: the policy sendAgain counts what it has not sent, since an upload is in doubt`()
        throws
    {
        let test = try Self(Self.with(.sendAgain))
        try test.laptop.edit("1") { $0.title = "Oat milk" }
        try test.server.sync(test.laptop, test.phone)
        try test.phone.edit("1") { $0.n = 2 }
        try test.server.putBack()
        try test.server.sync(test.phone)
        #expect(try test.server.content("1") == ["title": "Milk", "n": 2])
        #expect(try test.phone.engine.status(of: Meeting.collection).lostByServer == 1)
        try test.restoreAll(test.phone)
        try test.server.sync(test.phone)
        #expect(try test.server.content("1") == ["title": "Oat milk", "n": 2])
    }

    @Test func `server-went-back: what was added to a lost value is merged, and what it came to is journalled`() throws
    {
        var configuration = Self.with(.sendAgain)
        configuration.rules = CollectionRules(fields: try FieldRules([("/tags", .union)]))
        let test = try Self(configuration)
        try test.laptop.edit("1") { $0.tags = ["old"] }
        try test.server.sync(test.laptop, test.phone)
        try test.phone.edit("1") { $0.tags = ["old", "mine"] }
        try test.server.putBack()
        try test.server.sync(test.phone)
        #expect(try Self.lines(test.phone).contains(#"1 server-went-back /tags ["old","mine"]"#))
        #expect(try test.phone.engine.status(of: Meeting.collection).lostByServer == 1)
    }

    @Test func `server-went-back: the policy pause asks first, and goes on when the app says so`() throws {
        let test = try Self(Self.with(.pause))
        try test.laptop.create(["title": "Bread"], pk: "2")
        try test.server.sync(test.laptop, test.phone)
        try test.server.putBack()
        for _ in 0..<2 {
            try test.server.sync(test.phone)
            #expect(test.phone.reports.last?.outcome == .unreachable)
            #expect(test.phone.reports.last?.failure?.serverWentBack == true)
            #expect(try test.phone.view("2") == ["title": "Bread"])
        }
        try test.phone.renew()
        try test.server.sync(test.phone)
        #expect(test.phone.reports.last?.lostByServer == 1)
        #expect(try test.phone.phase("2") == .absent)
        try test.restoreAll(test.phone)
        try test.laptop.renew()
        try test.server.sync(test.phone, test.laptop)
        try test.server.sync(test.laptop)
        #expect(try test.server.content("2") == ["title": "Bread"])
    }

    @Test func `server-went-back: what the app let go on once is asked about again`() throws {
        let test = try Self(Self.with(.pause))
        try test.phone.sync(Meeting.collection)
        let sent = test.phone.outbox.removeFirst()
        try test.phone.fail(RemoteFailure(.historyLost, "It went back.", serverWentBack: true), for: sent.token)
        #expect(test.phone.reports.last?.outcome == .unreachable)
        // It was a wrong server behind the same URL, say.
        try test.phone.renew()
        try test.laptop.create(["title": "Bread"], pk: "2")
        try test.server.sync(test.laptop, test.phone)
        #expect(test.phone.reports.last?.outcome == .inStep)
        try test.server.putBack()
        try test.server.sync(test.phone)
        #expect(test.phone.reports.last?.outcome == .unreachable)
        #expect(try test.phone.view("2") == ["title": "Bread"])
    }

    @Test func `server-went-back: another account that says so during a listing makes none of what is deleted lost`()
        throws
    {
        let meeting = try Meeting(configuration: Self.with(.journal, pageSize: 1))
        let phone = meeting.phone
        for pk in ["1", "2", "3"] { try phone.create(["n": 1], pk: pk) }
        try meeting.settle()
        try meeting.tablet.delete("3")
        try meeting.sync(meeting.tablet)
        try phone.sync(Meeting.collection)
        try phone.failNext(RemoteFailure(.historyLost, "That is too old."))
        try meeting.carryOne(phone)
        // It does not say whose server it is.
        try phone.failNext(RemoteFailure(.historyLost, "It went back.", serverWentBack: true))
        let sent = phone.outbox.removeFirst()
        var answer = try meeting.remote.exchangeNow(sent.request)
        answer.account = "another"
        try phone.receive(answer, for: sent.token)
        #expect(phone.reports.last?.failure?.failureClass == .identityChanged)
        try phone.renew()
        try meeting.settle()
        #expect(try phone.phase("3") == .absent && phone.view("1") == ["n": 1])
        #expect(try phone.journal().isEmpty)
    }

    /// Its items of this record have no sense from now on.
    private func sync(_ device: Device, spoiling pk: String) throws {
        try device.sync(Meeting.collection)
        for _ in 0..<20 where !device.outbox.isEmpty {
            let sent = device.outbox.removeFirst()
            let request = sent.request
            do throws(RemoteFailure) {
                var answer = try self.server.exchange(request)
                let rows = answer.page.rows.filter { answer.page.pk(of: $0) != pk }
                let isThere = rows.count < answer.page.rows.count
                answer.page = FeedPage(
                    bytes: answer.page.bytes, rows: rows,
                    malformed: isThere ? [ItemSetAside(pk: pk, reason: "data is a number")] : [])
                try? device.receive(answer, for: sent.token)
            } catch {
                try? device.fail(error, for: sent.token)
            }
        }
    }

    @Test
    func
        `server-went-back: what is lost of an item that makes no sense is journalled once, however often it is listed`()
        throws
    {
        try self.laptop.edit("1") { $0.n = 2 }
        try self.server.sync(self.laptop, self.phone)
        for number in 1...3 {
            try self.server.putBack()
            for _ in 1...4 { try self.sync(self.phone, spoiling: "1") }
            #expect(self.phone.reports.last?.outcome == .held)
            #expect(
                try Self.lines(self.phone).filter { $0.hasPrefix("1 ") }
                    == [#"1 server-went-back  {"title":"Milk","n":2}"#])
            #expect(try self.phone.engine.status(of: Meeting.collection).lostByServer == number)
            try self.laptop.create(["n": 1], pk: "more-\(number)")
            try self.server.sync(self.laptop)
            try self.sync(self.phone, spoiling: "1")
        }
    }
}
