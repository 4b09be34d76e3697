import Testing

@testable import TidemarkJSON

@Suite("Contract §4 field rules in a merge")
struct FieldDecisionTests {
    static let base: JSON = ["a": 1, "o": ["x": 1, "y": 1]]
    static let server: JSON = ["a": 2, "o": ["x": 2, "y": 1]]
    static let client: JSON = ["a": 3, "o": ["x": 1, "y": 3]]

    private func merge(
        at path: String, client: JSON = FieldDecisionTests.client, sums: Bool = false,
        _ decide: @escaping JSONMerge.FieldDecision
    ) -> JSONMerge {
        JSONMerge.merge(
            base: FieldDecisionTests.base, server: FieldDecisionTests.server, client: client,
            rule: { $0.text == path ? decide : nil }, sums: { sums && $0.text == path })
    }

    private func clash(_ path: String, winner: JSONMerge.Clash.Winner) throws -> [JSONMerge.Clash] {
        [
            JSONMerge.Clash(
                path: try JSONPointer(parsing: path), base: FieldDecisionTests.base[String(path.dropFirst())],
                server: FieldDecisionTests.server[String(path.dropFirst())],
                client: FieldDecisionTests.client[String(path.dropFirst())], winner: winner)
        ]
    }

    @Test func `the decision "server" keeps the server's value and reports the client's`() throws {
        let merge = self.merge(at: "/a") { _ in .server }
        #expect(merge.merged?.a == 2)
        #expect(merge.clashes == (try self.clash("/a", winner: .server)))
        #expect(merge.patch.operations.map(\.path.text) == ["/o/y"])
    }

    @Test func `a field left to the user shows the client's value and stays undecided`() throws {
        let merge = self.merge(at: "/a") { _ in .ask }
        #expect(merge.merged?.a == 3)
        #expect(merge.undecided == (try self.clash("/a", winner: .undecided)))
    }

    @Test func `a merged value reports a clash only if a value is lost`() throws {
        let kept = self.merge(at: "/a") { _ in .value(4, lost: false) }
        #expect(kept.merged?.a == 4)
        #expect(kept.clashes.isEmpty)
        #expect(kept.decidedPaths.map(\.text) == ["/a"])
        let lost = self.merge(at: "/a") { _ in .value(4, lost: true) }
        #expect(lost.clashes == (try self.clash("/a", winner: .value)))
    }

    @Test func `a merged value of nil removes the field`() {
        let merge = self.merge(at: "/a") { _ in .value(nil, lost: true) }
        #expect(merge.merged == ["o": ["x": 2, "y": 3]])
        #expect(merge.patch.operations.first == .remove(JSONPointer(tokens: ["a"])))
    }

    @Test func `a decision reports the clashes inside its value`() {
        let inner = JSONMerge.Clash(
            path: JSONPointer(tokens: ["a", "7"]), base: nil, server: 1, client: 2, winner: .client)
        let merge = self.merge(at: "/a") { _ in .merged(["7": 2], clashes: [inner]) }
        #expect(merge.merged?.a == ["7": 2])
        #expect(merge.clashes == [inner])
    }

    @Test func `a rule for an object treats it as one value`() throws {
        let merge = self.merge(at: "/o") { _ in .client }
        #expect(merge.merged?.o == FieldDecisionTests.client.o)
        #expect(merge.clashes.contains { $0.path.text == "/o" })
        #expect(merge.patch.operations.map(\.path.text) == ["/a", "/o/x", "/o/y"])
    }

    @Test func `a decision gets the values of base, server and client`() {
        var seen: [JSONMerge.Sides] = []
        _ = self.merge(at: "/a") { sides in
            seen.append(sides)
            return .client
        }
        #expect(seen == [JSONMerge.Sides(path: JSONPointer(tokens: ["a"]), base: 1, server: 2, client: 3)])
    }

    @Test(arguments: ["/o/x", "/o/y", "/b"])
    func `no rule is called for a field that only one side changed`(path: String) {
        let merge = self.merge(at: path) { _ in .value("asked", lost: true) }
        #expect(merge.merged == ["a": 3, "o": ["x": 2, "y": 3]])
    }

    @Test func `no rule is called for equal values (R12)`() {
        let merge = self.merge(at: "/a", client: ["a": 2, "o": ["x": 1, "y": 1]]) { _ in .value("asked", lost: true) }
        #expect(merge.merged == FieldDecisionTests.server)
        #expect(merge.clashes.isEmpty)
    }

    @Test func `counter-delta: two equal increments are added twice (R12)`() {
        let merge = self.merge(at: "/a", client: ["a": 2, "o": ["x": 1, "y": 1]], sums: true) { sides in
            .value(.number(JSONNumber((sides.server?.int ?? 0) + (sides.client?.int ?? 0) - 1)), lost: false)
        }
        #expect(merge.merged?.a == 3)
        #expect(merge.patch.text == #"[{"op":"replace","path":"/a","value":3}]"#)
        #expect(merge.clashes.isEmpty)
    }

    @Test(arguments: [FieldOutcome.client, .server, .ask])
    func `a sum that is not defined for equal values keeps them (R12)`(outcome: FieldOutcome) {
        let merge = self.merge(at: "/a", client: ["a": 2, "o": ["x": 1, "y": 1]], sums: true) { _ in outcome }
        #expect(merge.merged == FieldDecisionTests.server)
        #expect(merge.patch.isEmpty && merge.clashes.isEmpty)
    }

    @Test func `counter-delta: a sum is computed inside equal documents (R12)`() {
        let here = JSONPointer(tokens: ["o", "n"])
        let merge = JSONMerge.merge(
            base: ["o": ["n": 5, "t": 1]], server: ["o": ["n": 6, "t": 2]], client: ["o": ["n": 6, "t": 2]],
            rule: { $0 == here ? { _ in .value(7, lost: false) } : nil }, sums: { $0 == here })
        #expect(merge.merged == ["o": ["n": 7, "t": 2]])
        #expect(merge.patch == JSONPatch([.replace(here, 7)]))
    }

    @Test func `a clash inside a replaced object is a clash of the object under any rule`() {
        let merge = JSONMerge.merge(
            base: ["o": ["n": 5]], server: ["o": ["n": 6]], client: ["o": 1],
            rule: { $0.lastToken == "n" ? { _ in .server } : nil })
        #expect(merge.merged == ["o": 1])
        #expect(merge.clashes.map(\.path.text) == ["/o"])
    }
}
