import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `Texts of a server for the user (Contract §3.5)` {
    /// A record that a remote refused.
    private func hold(_ problem: ProblemDetails) throws -> RecordHold {
        let scenario = try SyncScenario(devices: ["phone"], configuration: SyncConfiguration())
        try scenario.phone.create(["n": 1], pk: "a")
        try scenario.phone.sync(SyncScenario.collection)
        let sent = scenario.phone.outbox.removeFirst()
        let upload = try #require(sent.request.uploads.first)
        try scenario.phone.receive(
            ExchangeAnswer(
                results: [UploadResult(requestID: upload.requestID, outcome: .refused(problem))], cursor: "1",
                epoch: "1",
                account: "1"), for: sent.token)
        return try #require(try scenario.phone.snapshot("a")?.hold)
    }

    @Test(arguments: [[:], ["errors": ["n": "too small"]], ["title": 7]] as [JSON])
    func `the title of a remote's refusal is the reason of the hold`(document: JSON) throws {
        let hold = try self.hold(ProblemDetails(status: 422, title: "The price is missing", document: document))
        #expect(hold.reason == "The price is missing")
        guard case .refused(422, let problem) = hold.cause else { throw Trouble("\(hold.cause)") }
        #expect(problem.errors == document.errors)
    }

    @Test func `a stored hold has the errors by field`() throws {
        let document: JSON = ["title": "No", "errors": [["pointer": "/n", "detail": "is too small"]]]
        let hold = try self.hold(ProblemDetails(status: 422, title: "No", document: document))
        #expect(hold.problem?.errors == ["/n": ["is too small"]])
        #expect(hold.problem?.status == 422)
    }

    @Test func `the words of a document are the reason if it has some`() throws {
        let document: JSON = ["title": "No", "detail": "n is too small"]
        #expect(
            try self.hold(ProblemDetails(status: 422, title: "other", document: document)).reason
                == "No: n is too small")
    }

    @Test(arguments: ["title", "detail", "errors"])
    func `a long text of a server is cut before it is stored`(member: String) throws {
        let text = String(repeating: "e\u{301}", count: 200_000)
        var document: JSON = [:]
        document[member] = JSON(text)
        let hold = try self.hold(ProblemDetails(status: 422, title: text, document: document))
        #expect(hold.reason.unicodeScalars.count <= 2 * ProblemDetails.textSize + 4)
        #expect(hold.json.bytes.count < ProblemDetails.documentSize)
    }

    @Test(arguments: [0, 100_000])
    func `a name for programs is kept whole, also in a large document`(size: Int) throws {
        let account = JSON(String(repeating: "a", count: 4_000))
        let document: JSON = ["account": account, "errors": JSON(String(repeating: "e", count: size))]
        #expect(ProblemDetails(status: 403, title: "No", document: document).document.account == account)
    }

    @Test func `a document that is no object is replaced by its title`() throws {
        #expect(ProblemDetails(status: 422, title: "No", document: [1]).document == ["title": "No"])
    }

    @Test func `a text of a thousand characters is kept whole`() throws {
        let text = String(repeating: "é", count: ProblemDetails.textSize)
        #expect(ProblemDetails(status: 422, title: text).title == text)
        #expect(ProblemDetails(status: 422, title: text + "a").title == text + "…")
    }
}
