import Testing

@testable import TidemarkJSON

@Suite("Contract §4 algebra of patches")
struct AlgebraLawTests {
    @Test(arguments: seeds)
    func `the difference of two documents turns the first into the second`(seed: UInt64) {
        law(seed: seed, Revision.random) { revision in
            try JSONPatch.diff(from: revision.before, to: revision.after).apply(to: revision.before) == revision.after
        }
    }

    @Test(arguments: seeds)
    func `a difference is canonical`(seed: UInt64) {
        law(seed: seed, Revision.random) { revision in
            JSONPatch.diff(from: revision.before, to: revision.after).flaw(over: revision.before) == nil
        }
    }

    @Test(arguments: seeds)
    func `a canonical patch is the same after writing and parsing`(seed: UInt64) {
        law(seed: seed, Revision.random) { revision in
            let patch = JSONPatch.diff(from: revision.before, to: revision.after)
            return try JSONPatch(parsing: patch.bytes).text == patch.text && JSONPatch(json: patch.json) == patch
                && patch.bytes == patch.json.bytes
        }
    }

    @Test(arguments: seeds)
    func `the document that a difference leads to contains the difference (R18)`(seed: UInt64) {
        law(seed: seed, Revision.random) { revision in
            try JSONPatch.diff(from: revision.before, to: revision.after).isHeld(by: revision.after)
        }
    }

    @Test(arguments: seeds)
    func `a composed patch has the effect of both patches in turn`(seed: UInt64) {
        law(seed: seed, Patched.random) { patched in
            let composed = try patched.first.compose(patched.second, over: patched.document)
            return try composed.apply(to: patched.document) == patched.result()
                && composed.flaw(over: patched.document) == nil
        }
    }

    @Test(arguments: seeds)
    func `composition of canonical patches is associative`(seed: UInt64) {
        law(seed: seed, Patched.random) { patched in
            let document = patched.document
            let middle = try patched.first.apply(to: document)
            let third = JSONPatch.diff(from: try patched.result(), to: document)
            let left = try patched.first.compose(patched.second, over: document).compose(third, over: document)
            let right = try patched.first.compose(patched.second.compose(third, over: middle), over: document)
            return left == right && left.isEmpty
        }
    }

    @Test(arguments: seeds)
    func `an inverted patch restores the document`(seed: UInt64) {
        law(seed: seed, Patched.random) { patched in
            let result = try patched.first.apply(to: patched.document)
            let inverted = try patched.first.inverted(over: patched.document)
            return try inverted.apply(to: result) == patched.document && inverted.flaw(over: result) == nil
        }
    }

    @Test(arguments: seeds)
    func `normalizing a patch is idempotent`(seed: UInt64) {
        law(seed: seed, Patched.random) { patched in
            let once = try patched.first.canonical(over: patched.document)
            let twice = try once.canonical(over: patched.document)
            return once == twice && once.json.text == twice.json.text
        }
    }

    @Test(arguments: seeds)
    func `values that a patch does not touch keep their place and their text`(seed: UInt64) {
        law(seed: seed, Patched.random) { patched in
            let patch = try patched.first.canonical(over: patched.document)
            let touched = patch.operations.map(\.path)
            let after = try patch.apply(to: patched.document)
            return (patched.document?.untouched(by: touched) ?? []).elementsEqual(
                after?.untouched(by: touched) ?? [], by: ==)
        }
    }
}

extension JSON {
    /// Pointer and text of every value that is not at, above or below a path of `paths`, in the document's order.
    func untouched(by paths: [JSONPointer]) -> [String] {
        self.places().filter { place in !paths.contains { $0.isPrefix(of: place) || place.isPrefix(of: $0) } }
            .map { "\($0) \(self[pointer: $0]?.text ?? "")" }
    }
}
