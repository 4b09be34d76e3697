import Testing
import TidemarkJSON
import TidemarkServer

@Suite("Two writers at once (W3)", .overEachStorage)
struct WritersTests {
    @Test func `versions of several threads are distinct and grow (W3)`() async throws {
        let server = try ServerHarness()
        let perWriter = 50
        let versions = try await withThrowingTaskGroup(of: [Int].self) { group in
            for writer in 0..<4 {
                group.addTask {
                    try (0..<perWriter).map { number in
                        let edit = created("\(writer)-\(number)", "w\(writer)-\(number)", ["a": 1])
                        return try #require(try server.post(edit).results.first?.version)
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(versions.joined()).count == 4 * perWriter)
        #expect(versions.allSatisfy { $0 == $0.sorted() })
        let listed = try server.list().items.compactMap { $0["updated_at"]?.int }
        #expect(listed == versions.joined().sorted())
    }

    @Test func `one of several writers that edit the same version of a row is accepted (W1, W3)`() async throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    // Not an edit that changes nothing: that would be accepted, and keep the version (W9).
                    let edit = setting("r\(writer)", "1", version, to: .number(JSONNumber(10 + writer)))
                    return try server.post(edit).results[0].isAccepted
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(accepted == 1)
    }
}
