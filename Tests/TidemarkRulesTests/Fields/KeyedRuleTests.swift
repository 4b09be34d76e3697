import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

@Suite("Contract §4 keyed") struct KeyedRuleTests {
    static let base: JSON = [["id": 1, "n": 1, "t": "a"], ["id": 2, "n": 1, "t": "b"]]

    private func merge(
        _ server: JSON, _ client: JSON, base: JSON = Self.base, inside: [(String, any FieldRule)] = []
    ) throws -> Merging {
        try merging(.keyed("id"), inside: inside, base: base, server: server, client: client)
    }

    @Test func `fields of one object that both sides change are merged in the given order`() throws {
        let merge = try self.merge(
            [["id": 2, "n": 1, "t": "b"], ["id": 1, "n": 9, "t": "a"]],
            [["id": 1, "n": 1, "t": "A"], ["id": 2, "n": 1, "t": "b"], ["id": 3]])
        #expect(merge == Merging([["id": 2, "n": 1, "t": "b"], ["id": 3], ["id": 1, "n": 9, "t": "A"]]))
    }

    @Test func `two insertions at the same place of a keyed array are kept, the server's first`() throws {
        let (one, two) = (Self.base[0] ?? .null, Self.base[1] ?? .null)
        let merge = try self.merge([one, two, ["id": "s"]], [["id": "c0"], one, two, ["id": "c"]])
        #expect(merge == Merging([["id": "c0"], one, two, ["id": "s"], ["id": "c"]]))
        let front = try self.merge([["id": "s"], one, two], [["id": "c"], one, two])
        #expect(front == Merging([["id": "s"], ["id": "c"], one, two]))
    }

    @Test func `a clash names the array, then the key, then the field`() throws {
        let merge = try self.merge(
            [["id": 1, "n": 1, "t": "s"], ["id": 2, "n": 1, "t": "b"]],
            [["id": 1, "n": 1, "t": "c"], ["id": 2, "n": 1, "t": "b"]])
        #expect(merge == Merging([["id": 1, "n": 1, "t": "c"], ["id": 2, "n": 1, "t": "b"]], clashes: ["/f/1/t"]))
    }

    @Test func `an object removed by the client and edited by the server is a clash: the client wins`() throws {
        let (one, two) = (Self.base[0] ?? .null, Self.base[1] ?? .null)
        let edited: JSON = ["id": 1, "n": 5, "t": "a"]
        #expect(try self.merge([two], [edited, two]) == Merging([edited, two], clashes: ["/f/1"]))
        #expect(try self.merge([edited, two], [two]) == Merging([two], clashes: ["/f/1"]))
        #expect(try self.merge([two], [one, two, ["id": 3]]) == Merging([two, ["id": 3]]))
    }

    @Test func `the keys 1 and "1" are different, and 1 and 1.0 are equal`() throws {
        let merge = try self.merge(
            [["id": 1, "v": "s"], ["id": "1", "v": "s"]], [["id": 1.0, "v": "c"], ["id": "1", "v": "c"]],
            base: [["id": 1, "v": 0], ["id": "1", "v": 0]])
        #expect(merge.clashes == [#"/f/"1"/v"#, "/f/1/v"])
        #expect(merge.value == [["id": 1, "v": "c"], ["id": "1", "v": "c"]])
    }

    @Test func `rules apply inside of keyed objects, and equal increments are added twice`() throws {
        let inside: [(String, any FieldRule)] = [("/*/n", .sum), ("/*/t", .server)]
        let both: JSON = [["id": 1, "n": 2, "t": "a"], ["id": 2, "n": 1, "t": "b"]]
        #expect(
            try self.merge(both, both, inside: inside)
                == Merging([["id": 1, "n": 3, "t": "a"], ["id": 2, "n": 1, "t": "b"]]))
        let server: JSON = [["id": 1, "n": 4, "t": "s"], ["id": 2, "n": 1, "t": "b"]]
        let client: JSON = [["id": 1, "n": 3, "t": "c"], ["id": 2, "n": 1, "t": "b"]]
        #expect(
            try self.merge(server, client, inside: inside)
                == Merging([["id": 1, "n": 6, "t": "s"], ["id": 2, "n": 1, "t": "b"]], clashes: ["/f/1/t"]))
    }

    @Test func `keyed arrays can contain keyed arrays`() throws {
        func lines(_ first: JSON, _ second: JSON) -> JSON {
            [["id": "x", "parts": [["no": 1, "q": first], ["no": 2, "q": second]]]]
        }
        let merge = try self.merge(
            lines(5, 1), lines(1, 7), base: lines(1, 1), inside: [("/*/parts", .keyed("no"))])
        #expect(merge == Merging(lines(5, 7)))
    }

    @Test func `two new orders of the same objects are a clash that the client wins`() throws {
        func ids(_ ids: [Int]) -> JSON { .array(ids.map { ["id": .number(JSONNumber($0))] }) }
        #expect(
            try self.merge(ids([3, 1, 2, 9]), ids([2, 1, 3]), base: ids([1, 2, 3]))
                == Merging(ids([2, 9, 1, 3]), clashes: ["/f"]))
        #expect(
            try self.merge(ids([1, 2, 3, 9]), ids([2, 1, 3]), base: ids([1, 2, 3])) == Merging(ids([2, 1, 3, 9])))
    }

    @Test func `telecom-index: a keyed merge never edits the wrong element`() throws {
        let merge = try self.merge(
            [["id": 2, "n": 1, "t": "b"]], [["id": 1, "n": 1, "t": "a"], ["id": 2, "n": 7, "t": "b"]])
        #expect(merge == Merging([["id": 2, "n": 7, "t": "b"]]))
    }

    @Test func `a keyed array is replaced as a whole on the wire`() throws {
        let merge = try mergeOfRecord(
            .keyed("id"), base: Self.base, server: [["id": 1, "n": 1, "t": "a"]],
            client: [["id": 1, "n": 1, "t": "a"], ["id": 2, "n": 1, "t": "b"], ["id": 3]])
        #expect(merge.patch.text == #"[{"op":"replace","path":"/f","value":[{"id":1,"n":1,"t":"a"},{"id":3}]}]"#)
    }

    private func outcome(_ fork: Fork) throws -> [Int] {
        func array(_ numbers: [Int]) -> JSON { .array(numbers.map { ["id": .number(JSONNumber($0))] }) }
        let merge = try self.merge(array(fork.server), array(fork.client), base: array(fork.base))
        #expect(merge.clashes.isEmpty)
        return merge.value?.array?.compactMap { $0["id"]?.int } ?? []
    }

    @Test func `a keyed array has all additions and no removals, and disjoint changes commute`() throws {
        try Fork.all(Fork.anywhere) { fork in
            let added = Set(fork.server + fork.client).subtracting(fork.base)
            let kept = Set(fork.base).intersection(fork.server).intersection(fork.client)
            let merged = try self.outcome(fork)
            return Set(merged) == added.union(kept) && merged.count == added.count + kept.count
        }
        try Fork.all(Fork.apart) { try self.outcome($0) == self.outcome($0.swapped) }
    }

    @Test func `a merge of a merged keyed array changes nothing`() throws {
        try Fork.all(Fork.anywhere) { fork in
            let merged = try self.outcome(fork)
            return try self.outcome(Fork(base: fork.base, server: merged, client: fork.client)) == merged
        }
    }
}
