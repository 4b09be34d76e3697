import Testing
import TidemarkJSON
import TidemarkServer

@Suite("W5, W10: names", .overEachStorage)
struct NameTests {
    @Test func `W5 empty-pk-on-the-wire: refused by itself, and its neighbours pass`() throws {
        let server = try ServerHarness()
        let answer = try server.post(created("r1", "1", ["a": 1]), created("r2", "", ["a": 1]), deleted("r3", "", nil))
        #expect(answer.results.map { $0.status } == [nil, 400, 400])
        #expect(answer.results.dropFirst().allSatisfy { $0.code == "malformed-edit" && $0.pointer == "/pk" })
        #expect(try server.list().pks == ["1"])
    }

    @Test func `W10 a path that names an empty pk or collection is refused`() throws {
        let server = try ServerHarness()
        #expect(server.send("GET", "/v1/notes/").status == 400)
        #expect(server.send("GET", "/v1//1").status == 404)
    }

    @Test(arguments: [(512, true), (513, false)])
    func `W10 a pk has 512 bytes at most, in an edit and in a path`(_ count: Int, _ isAllowed: Bool) throws {
        let server = try ServerHarness()
        let pk = String(repeating: "k", count: count)
        let result = try #require(try server.post(created("r", pk, ["a": 1])).results.first)
        #expect(result.status == (isAllowed ? nil : 400))
        #expect(server.send("GET", "/v1/notes/\(pk)").status == (isAllowed ? 200 : 400))
    }

    @Test(arguments: [(512, 200), (513, 400)])
    func `W10 the name of a collection has 512 bytes at most`(_ count: Int, _ status: Int) throws {
        let server = try ServerHarness()
        #expect(server.send("GET", "/v1/\(String(repeating: "c", count: count))").status == status)
    }
}
