import Testing

@testable import TidemarkJSON

@Suite("A merge of disjoint changes")
struct ApartMergeTests {
    @Test(arguments: seeds)
    func `a merge of disjoint changes keeps both sides' changes`(seed: UInt64) {
        law(seed: seed, Fork.random) { fork in
            let ours = JSONPatch.diff(from: fork.base, to: fork.client)
            let theirs = JSONPatch.diff(from: fork.base, to: fork.server)
            guard self.areApart(ours.changedPaths, theirs.changedPaths) else { return true }
            let merge = fork.merge()
            return merge.clientPaths == ours.changedPaths && merge.serverPaths == theirs.changedPaths
                && merge.decidedPaths.isEmpty && merge.clashes.isEmpty && merge.patch == ours
        }
    }

    @Test(arguments: seeds)
    func `a rule is called for an object that both sides changed`(seed: UInt64) {
        law(seed: seed, Fork.random) { fork in
            var asked: [JSONPointer] = []
            _ = fork.merge(rule: { path in
                asked.append(path)
                return nil
            })
            let isChanged = fork.base != fork.server && fork.base != fork.client
            return asked.contains(.root) == isChanged
        }
    }

    @Test func `a merge of very large documents keeps both sides' changes`() {
        let long: JSON = .init(String(repeating: "long ", count: 4_000))
        let merge = JSONMerge.merge(
            base: ["a": 1, "b": 1, "text": long], server: ["a": 1, "b": 2, "text": long],
            client: ["a": 2, "b": 1, "text": long])
        #expect(merge.merged == ["a": 2, "b": 2, "text": long])
        #expect(merge.clientPaths.map(\.text) == ["/a"])
        #expect(merge.serverPaths.map(\.text) == ["/b"])
    }

    @Test func `the paths of a merge can be changed`() {
        var merge = JSONMerge.merge(base: ["a": 1, "b": 1], server: ["a": 2, "b": 1], client: ["a": 1, "b": 2])
        #expect(merge.clientPaths.map(\.text) == ["/b"])
        merge.clientPaths.removeAll()
        #expect(merge.clientPaths.isEmpty)
        #expect(merge.serverPaths.map(\.text) == ["/a"])
    }

    private func areApart(_ ours: [JSONPointer], _ theirs: [JSONPointer]) -> Bool {
        !ours.contains { mine in theirs.contains { mine.isPrefix(of: $0) || $0.isPrefix(of: mine) } }
    }
}
