import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkRulesFile
import TidemarkTesting
import Testing

/// Different names that look alike, wherever two names are compared (Contract §4: strings compare by code point).
@Suite struct LookAlikeNamesTests {
    /// One letter with an accent, and a letter followed by the combining accent.
    static let composed = "\u{E9}"
    static let decomposed = "e\u{301}"

    @Test func `look-alike-collections: each has its own rules`() throws {
        var configuration = SyncConfiguration()
        configuration[Self.composed].tactic = .takeServer
        #expect(configuration[Self.composed].tactic is TakeServer)
        #expect(configuration[Self.decomposed].tactic is AutoMerge)
        configuration[Self.decomposed].tactic = .askUser
        #expect(configuration[Self.composed].tactic is TakeServer)
        #expect(configuration[Self.decomposed].tactic is AskUser)
        let phone = try Device("phone", seed: 1, clock: ManualClock(), configuration: configuration)
        let names = try phone.engine.collections()
        #expect(names.map { Array($0.utf8) } == [Self.decomposed, Self.composed].map { Array($0.utf8) })
    }

    @Test func `look-alike-collections: a rules file keeps them apart`() throws {
        let file = try RulesFile(
            parsing: Array(
                #"{"collections":{"\u00e9":{"tactic":"takeServer"},"e\u0301":{"tactic":"takeClient"}}}"#.utf8))
        #expect(file.collections.count == 2)
        var configuration = SyncConfiguration()
        configuration.collections = file.collections
        #expect(configuration[Self.composed].tactic is TakeServer)
        #expect(configuration[Self.decomposed].tactic is TakeClient)
    }

    @Test func `an account name that only looks the same is another account`() throws {
        let phone = try Device("phone", seed: 1, clock: ManualClock())
        try phone.sync(SyncScenario.collection)
        try phone.answerNext(Self.answer(account: Self.composed))
        try phone.sync(SyncScenario.collection)
        try phone.answerNext(Self.answer(account: Self.decomposed))
        #expect(phone.reports.last?.failure?.failureClass == .identityChanged)
    }

    @Test func `an epoch that only looks the same is another history`() throws {
        let phone = try Device("phone", seed: 1, clock: ManualClock())
        try phone.sync(SyncScenario.collection)
        try phone.answerNext(Self.answer(epoch: Self.composed))
        try phone.sync(SyncScenario.collection)
        try phone.answerNext(Self.answer(epoch: Self.decomposed))
        let request = try #require(phone.outbox.first?.request)
        #expect(request.cursor == nil, "a full resync begins")
    }

    @Test func `a cursor that only looks the same is progress`() throws {
        let phone = try Device("phone", seed: 1, clock: ManualClock())
        try phone.sync(SyncScenario.collection)
        try phone.answerNext(answerBody(cursor: #""\#(Self.composed)""#, more: "true"))
        try phone.answerNext(answerBody(cursor: #""\#(Self.decomposed)""#, more: "true"))
        #expect(phone.outbox.first?.request.cursor?.utf8.count == Self.decomposed.utf8.count)
    }

    @Test func `a result for a look-alike pk settles nothing`() throws {
        let phone = try Device("phone", seed: 1, clock: ManualClock())
        try phone.create(["n": 1], pk: Self.composed)
        try phone.sync(SyncScenario.collection)
        let edit = try #require(phone.outbox.first?.request.encodedEdit.first)
        let requestID = try #require(try JSON(parsing: edit)["request_id"]?.string)
        func result(_ pk: String) -> String {
            #"{"request_id":"\#(requestID)","pk":"\#(pk)","is_conflicted":false,"item":"#
                + #"{"pk":"\#(pk)","updated_at":1,"is_active":true,"data":{"n":1}},"error":null}"#
        }
        try phone.answerNext(answerBody(results: result(Self.decomposed)))
        #expect(try phone.phase(Self.composed) == .created(.unconfirmed))
        #expect(try phone.phase(Self.decomposed) == .absent)
    }

    @Test func `a rule's pattern does not match a look-alike field`() throws {
        let pattern = try PointerPattern("/\(Self.composed)")
        #expect(pattern.matches(try JSONPointer(parsing: "/\(Self.composed)")))
        #expect(!pattern.matches(try JSONPointer(parsing: "/\(Self.decomposed)")))
    }

    @Test func `the smaller of two texts that look alike is the one whose code points come first`() {
        func smaller(server: String, client: String) -> FieldOutcome {
            let conflict = FieldConflict(
                at: JSONPointer.root.appending("a"), base: "z", server: .string(JSONString(server)),
                client: .string(JSONString(client)))
            return FieldRules.Extreme(.smallest).decide(conflict)
        }
        #expect(smaller(server: Self.composed, client: Self.decomposed) == .client)
        #expect(smaller(server: Self.decomposed, client: Self.composed) == .server)
    }

    private static func answer(epoch: String = "e", account: String = "a") -> String {
        #"{"items":[],"max_updated_at":"w1","more":false,"epoch":"\#(epoch)","account":"\#(account)"}"#
    }
}
