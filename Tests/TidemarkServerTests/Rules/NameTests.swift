import Testing
import TidemarkJSON
import TidemarkServer

@Suite("Names (W5, W10)", .overEachStorage)
struct NameTests {
    @Test func `an edit with an empty pk is refused alone (W5, empty-pk-on-the-wire)`() throws {
        let server = try ServerHarness()
        let answer = try server.post(created("r1", "1", ["a": 1]), created("r2", "", ["a": 1]), deleted("r3", "", nil))
        #expect(answer.results.map { $0.status } == [nil, 400, 400])
        #expect(answer.results.dropFirst().allSatisfy { $0.code == "malformed-edit" && $0.pointer == "/pk" })
        #expect(try server.list().pks == ["1"])
    }

    @Test func `a path with an empty pk or collection is refused (W10)`() throws {
        let server = try ServerHarness()
        #expect(server.send("GET", "/v1/notes/").status == 400)
        #expect(server.send("GET", "/v1//1").status == 404)
    }

    @Test(arguments: [(512, true), (513, false)])
    func `a pk has at most 512 bytes, in an edit and in a path (W10)`(_ count: Int, _ isAllowed: Bool) throws {
        let server = try ServerHarness()
        let pk = String(repeating: "k", count: count)
        let result = try #require(try server.post(created("r", pk, ["a": 1])).results.first)
        #expect(result.status == (isAllowed ? nil : 400))
        #expect(server.send("GET", "/v1/notes/\(pk)").status == (isAllowed ? 200 : 400))
    }

    @Test(arguments: [(512, 200), (513, 400)])
    func `a collection's name has at most 512 bytes (W10)`(_ count: Int, _ status: Int) throws {
        let server = try ServerHarness()
        #expect(server.send("GET", "/v1/\(String(repeating: "c", count: count))").status == status)
    }
}
