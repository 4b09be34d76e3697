import Testing

@testable import TidemarkJSON

@Suite("SPEC §4 algebra of patches")
struct AlgebraLawTests {
    @Test(arguments: seeds)
    func `the difference of two documents makes the one of the other`(seed: UInt64) {
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
    func `a canonical patch survives its text`(seed: UInt64) {
        law(seed: seed, Revision.random) { revision in
            let patch = JSONPatch.diff(from: revision.before, to: revision.after)
            return try JSONPatch(parsing: patch.bytes).text == patch.text && JSONPatch(json: patch.json) == patch
                && patch.bytes == patch.json.bytes
        }
    }

    @Test(arguments: seeds)
    func `R18 the document a difference leads to holds it`(seed: UInt64) {
        law(seed: seed, Revision.random) { revision in
            try JSONPatch.diff(from: revision.before, to: revision.after).isHeld(by: revision.after)
        }
    }

    @Test(arguments: seeds)
    func `a composed patch does what both do one after the other`(seed: UInt64) {
        law(seed: seed, Patched.random) { patched in
            let composed = try patched.first.compose(patched.second, over: patched.document)
            return try composed.apply(to: patched.document) == patched.result()
                && composed.flaw(over: patched.document) == nil
        }
    }

    @Test(arguments: seeds)
    func `composing canonical patches in threes does not depend on which two come first`(seed: UInt64) {
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
    func `an inverted patch brings the document back`(seed: UInt64) {
        law(seed: seed, Patched.random) { patched in
            let result = try patched.first.apply(to: patched.document)
            let inverted = try patched.first.inverted(over: patched.document)
            return try inverted.apply(to: result) == patched.document && inverted.flaw(over: result) == nil
        }
    }

    @Test(arguments: seeds)
    func `normalising twice is normalising once`(seed: UInt64) {
        law(seed: seed, Patched.random) { patched in
            let once = try patched.first.canonical(over: patched.document)
            let twice = try once.canonical(over: patched.document)
            return once == twice && once.json.text == twice.json.text
        }
    }

    @Test(arguments: seeds)
    func `what a patch does not touch keeps its place and its text`(seed: UInt64) {
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
    /// Pointer and text of every value that no path of `paths` names, contains or lies in, in the document's order.
    func untouched(by paths: [JSONPointer]) -> [String] {
        self.places().filter { place in !paths.contains { $0.isPrefix(of: place) || place.isPrefix(of: $0) } }
            .map { "\($0) \(self[pointer: $0]?.text ?? "")" }
    }
}
