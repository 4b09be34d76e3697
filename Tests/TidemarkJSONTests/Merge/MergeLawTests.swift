import Testing

@testable import TidemarkJSON

@Suite("Contract §4 algebra of merges")
struct MergeLawTests {
    @Test(arguments: seeds)
    func `the patch of a merge turns the server's document into the merged one`(seed: UInt64) {
        law(seed: seed, Fork.random) { fork in
            let merge = fork.merge()
            return try merge.patch.apply(to: fork.server)?.text == merge.merged?.text
                && merge.patch.flaw(over: fork.server) == nil
        }
    }

    @Test(arguments: seeds)
    func `the patch of a merge leads to the merged document under any rule`(seed: UInt64) {
        law(seed: seed, Fork.random) { fork in
            let merge = fork.merge(rule: anyRule, sums: { $0.tokens.count == 2 })
            return try merge.patch.apply(to: fork.server)?.text == merge.merged?.text
                && merge.patch.flaw(over: fork.server) == nil
        }
    }

    @Test(arguments: seeds)
    func `without a clash the merged document has every change of both sides`(seed: UInt64) {
        law(seed: seed, Fork.random) { fork in
            let merge = fork.merge()
            guard merge.clashes.isEmpty else { return true }
            return isKept(fork.client, since: fork.base, beside: fork.server, in: merge.merged)
                && isKept(fork.server, since: fork.base, beside: fork.client, in: merge.merged)
        }
    }

    @Test(arguments: seeds)
    func `the clashes are the same when the sides swap`(seed: UInt64) {
        law(seed: seed, Fork.random) { fork in
            let mirrored = fork.swapped.merge().clashes.map {
                JSONMerge.Clash(path: $0.path, base: $0.base, server: $0.client, client: $0.server, winner: $0.winner)
            }
            return fork.merge().clashes == mirrored
        }
    }

    @Test(arguments: seeds)
    func `disjoint merges commute`(seed: UInt64) {
        law(seed: seed, Fork.random) { fork in
            let merge = fork.merge()
            return !merge.clashes.isEmpty || merge.merged == fork.swapped.merge().merged
        }
    }

    @Test(arguments: seeds)
    func `rebasing an empty patch gives an empty patch`(seed: UInt64) {
        law(seed: seed, Fork.random) { fork in
            let merge = try JSONPatch().rebased(from: fork.base, onto: fork.server)
            return merge.patch.isEmpty && merge.clashes.isEmpty && merge.merged?.text == fork.server?.text
        }
    }

    @Test(arguments: seeds)
    func `rebasing onto the unchanged base gives the canonical patch`(seed: UInt64) {
        law(seed: seed, Fork.random) { fork in
            let patch = JSONPatch.diff(from: fork.base, to: fork.client)
            let merge = try patch.rebased(from: fork.base, onto: fork.base)
            return merge.patch == patch && merge.clashes.isEmpty && merge.merged == fork.client
        }
    }

    @Test(arguments: seeds)
    func `merging a merged document again changes nothing`(seed: UInt64) {
        law(seed: seed, Fork.random) { fork in
            let merged = fork.merge().merged
            let again = JSONMerge.merge(base: fork.server, server: fork.server, client: merged)
            return again.merged == merged && again.clashes.isEmpty
        }
    }

    @Test(arguments: seeds)
    func `the rule "server" equals the rule "client" with the sides swapped`(seed: UInt64) {
        law(seed: seed, Fork.random) { fork in
            let one = fork.merge(rule: { $0.tokens.count == 1 ? { _ in .server } : nil })
            let other = fork.swapped.merge(rule: { $0.tokens.count == 1 ? { _ in .client } : nil })
            // Above the fields the default decides, and the default is not symmetric.
            return one.clashes.contains { $0.path.isRoot } || one.merged == other.merged
        }
    }

    @Test(arguments: seeds)
    func `every changed path is reported for the side whose value is kept`(seed: UInt64) {
        law(seed: seed, Fork.random) { fork in
            let merge = fork.merge()
            return merge.clientPaths.allSatisfy { merge.merged?[pointer: $0] == fork.client?[pointer: $0] }
                && merge.serverPaths.allSatisfy { merge.merged?[pointer: $0] == fork.server?[pointer: $0] }
                && merge.decidedPaths.isEmpty
        }
    }

    @Test(arguments: seeds)
    func `the random sides clash often enough to test these laws`(seed: UInt64) {
        var random = RandomJSON(seed: seed)
        let merges = (0..<200).map { _ in Fork.random(&random).merge() }
        #expect(merges.count { !$0.clashes.isEmpty } > 20)
        #expect(merges.count { $0.clashes.contains { !$0.path.isRoot } } > 10)
        #expect(merges.count { $0.clashes.isEmpty && !$0.patch.isEmpty && !$0.serverPaths.isEmpty } > 10)
    }
}

/// A rule for some paths, with every outcome among them.
private func anyRule(_ path: JSONPointer) -> JSONMerge.FieldDecision? {
    switch path.text.utf8.reduce(0, { $0 + Int($1) }) % 8 {
    case 0: { _ in .client }
    case 1: { _ in .server }
    case 2: { _ in .ask }
    case 3: { sides in .value(["client": sides.client ?? .null], lost: false) }
    case 4: { _ in .value(nil, lost: true) }
    case 5: { sides in .merged(sides.base, clashes: []) }
    default: nil
    }
}

/// Whether the merged document has every change of a side since the base; if both sides set an object, checks its members.
private func isKept(_ side: JSON?, since base: JSON?, beside other: JSON?, in merged: JSON?) -> Bool {
    guard side != base else { return true }
    guard let members = side?.object, base == nil ? other?.object != nil : base?.object != nil else {
        return merged == side
    }
    let keys = members.keys + (base?.object.map { Array($0.keys) } ?? [])
    return keys.allSatisfy { isKept(side?[$0], since: base?[$0], beside: other?[$0], in: merged?[$0]) }
}
