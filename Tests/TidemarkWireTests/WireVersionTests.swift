import Testing
import TidemarkCore
import TidemarkMachine

@Suite struct `The version of the wire (Contract §5)` {
    private static let body = #"{"items":[],"max_updated_at":"w1","more":false,"epoch":"e","account":"a"}"#

    private func reply(_ version: String?, status: Int = 200) -> SampleReply {
        var headers = ["Content-Type": "application/json"]
        headers["Tidemark-Wire"] = version
        return SampleReply(name: version ?? "none", status: status, headers: headers, body: Self.body)
    }

    @Test(arguments: [nil, "1", "0", "", "one", "-2", "2.0"])
    func `an answer of version 1, or of no version, is read`(version: String?) throws {
        #expect(try self.reply(version).decode(.get).cursor == "w1")
    }

    @Test(arguments: ["2", "17", "99999999999999999999999"], [200, 410, 503])
    func `an answer of a higher version is a failure, whatever its status is`(version: String, status: Int) throws {
        let failure = try #require(self.reply(version, status: status).failure(.get))
        #expect(failure.failureClass == .invalidAnswer)
        #expect(failure.message.contains("The server speaks version \(version) of the protocol"))
        #expect(failure.message.contains("this client version 1. Update the app"))
        #expect(failure.blame == .server)
    }
}
