import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

@Suite("Contract §4 union and list") struct ArrayRulesTests {
    @Test(arguments: [
        ([1, 2], [1, 2, 3], [1, 2, 4], [1, 2, 3, 4]), ([1, 2], [2], [1, 2, 4], [2, 4]),
        ([1, 2], [2, 1], [1, 2, 9], [2, 1, 9]),
        ([], [1, 2], [2, 3], [1, 2, 3]), ([1, 1], [1, 1, 2], [1, 1, 3], [1, 2, 3]), ([1, 2], [1], [2], []),
    ])
    func `a union contains what either side added, and nothing that a side removed`(
        base: [Int], server: [Int], client: [Int], expected: [Int]
    ) throws {
        let merge = try merging(.union, base: .numbers(base), server: .numbers(server), client: .numbers(client))
        #expect(merge == Merging(.numbers(expected)))
    }

    @Test(arguments: [
        ([1, 2], [1, 2, 3], [1, 2, 4], [1, 2, 3, 4]), ([1, 2, 3], [1, 3], [1, 2, 3, 4], [1, 3, 4]),
        ([1, 2, 3], [9, 1, 2, 3], [1, 2, 8, 3], [9, 1, 2, 8, 3]), ([1, 2, 3], [1, 7, 3], [1, 8, 3], [1, 7, 8, 3]),
        ([1], [1, 5, 6], [1, 5], [1, 5, 6]), ([], [1, 2], [3], [1, 2, 3]), ([1, 2], [], [1], []),
        ([1, 1, 1], [1, 1, 1, 2], [3, 1, 1, 1], [3, 1, 1, 1, 2]),
    ])
    func `a list keeps all insertions, the server's first, and nothing that a side removed`(
        base: [Int], server: [Int], client: [Int], expected: [Int]
    ) throws {
        let merge = try merging(.list, base: .numbers(base), server: .numbers(server), client: .numbers(client))
        #expect(merge == Merging(.numbers(expected)))
    }

    @Test func `both sides add an array to a base without one`() throws {
        #expect(try merging(.union, base: nil, server: ["a"], client: ["b", "a"]) == Merging(["a", "b"]))
        #expect(try merging(.list, base: nil, server: ["a"], client: ["b"]) == Merging(["a", "b"]))
    }

    @Test func `elements are compared by value and by code point`() throws {
        let merge = try merging(
            .union, base: [], server: [1.0, "\u{E9}", ["a": 1, "b": 2]], client: [1, "e\u{301}", ["b": 2, "a": 1]])
        #expect(merge.value?.array?.count == 4)
    }

    private func outcome(_ rule: any FieldRule, _ fork: Fork) throws -> [Int] {
        let merge = try merging(
            rule, base: .numbers(fork.base), server: .numbers(fork.server), client: .numbers(fork.client))
        #expect(merge.clashes.isEmpty)
        return merge.value?.array?.compactMap(\.int) ?? []
    }

    @Test(arguments: ["union", "list"])
    func `a merged array has all additions, no removed element, and nothing else`(name: String) throws {
        let rule = try Self.rule(name)
        try Fork.all(Fork.anywhere) { fork in
            let merged = try self.outcome(rule, fork)
            let added = Set(fork.server + fork.client).subtracting(fork.base)
            let kept = Set(fork.base).intersection(fork.server).intersection(fork.client)
            return Set(merged) == added.union(kept) && Set(merged).count == merged.count
        }
    }

    @Test(arguments: ["union", "list"])
    func `a merge of a merged array changes nothing`(name: String) throws {
        let rule = try Self.rule(name)
        try Fork.all(Fork.anywhere) { fork in
            let merged = try self.outcome(rule, fork)
            let again = Fork(base: fork.base, server: merged, client: fork.client)
            let back = Fork(base: fork.base, server: fork.server, client: merged)
            return try self.outcome(rule, again) == merged && Set(try self.outcome(rule, back)) == Set(merged)
        }
    }

    @Test func `disjoint changes of a list merge to the same in both orders`() throws {
        try Fork.all(Fork.apart) { try self.outcome(.list, $0) == self.outcome(.list, $0.swapped) }
    }

    @Test func `the elements of a union do not depend on which side is the server`() throws {
        try Fork.all(Fork.anywhere) { Set(try self.outcome(.union, $0)) == Set(try self.outcome(.union, $0.swapped)) }
    }

    @Test func `a list keeps the order of each side`() throws {
        try Fork.all(Fork.anywhere) { fork in
            let merged = try self.outcome(.list, fork)
            return [fork.server, fork.client].allSatisfy { side in
                merged.filter(side.contains) == side.filter(merged.contains)
            }
        }
    }

    private static func rule(_ name: String) throws -> any FieldRule {
        let rule: [String: any FieldRule] = ["union": .union, "list": .list]
        return try #require(rule[name])
    }
}
