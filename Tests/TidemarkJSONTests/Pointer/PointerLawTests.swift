import TestSupport
import Testing

@testable import TidemarkJSON

@Suite("Laws of pointers")
struct PointerLawTests {
    @Test(arguments: seeds)
    func `a pointer is the same after writing and parsing`(seed: UInt64) {
        law(seed: seed, Steps.random) { steps in
            let pointer = JSONPointer(tokens: steps.names)
            let read = try JSONPointer(parsing: pointer.text)
            return read == pointer && read.tokens.map { CodePointString($0) } == steps.names.map { CodePointString($0) }
                && read.hashValue == pointer.hashValue
        }
    }

    @Test(arguments: seeds)
    func `a pointer built token by token equals the pointer of all tokens`(seed: UInt64) {
        law(seed: seed, Steps.random) { steps in
            let pointer = steps.names.reduce(JSONPointer.root) { $0.appending($1) }
            return pointer == JSONPointer(tokens: steps.names) && steps.names.isEmpty == (pointer.parent == nil)
                && (pointer.parent?.isPrefix(of: pointer) ?? true)
        }
    }

    @Test(arguments: seeds)
    func `every value of a document is found at its own pointer`(seed: UInt64) {
        law(seed: seed, Revision.random) { revision in
            guard let document = revision.before else { return true }
            return document.places().allSatisfy { document[pointer: $0] != nil }
                && Set(document.places()).count == document.places().count
        }
    }

    @Test(arguments: seeds)
    func `a pointer is a prefix of another if its tokens are the first tokens of the other`(seed: UInt64) {
        law(seed: seed, { random in [Steps.random(&random), Steps.random(&random)] }) { pair in
            guard let above = pair.first?.names, let below = pair.last?.names else { return true }
            let isPrefix = above.count <= below.count && zip(above, below).allSatisfy { $0.hasSameCodePoints(as: $1) }
            return JSONPointer(tokens: above).isPrefix(of: JSONPointer(tokens: below)) == isPrefix
        }
    }

    /// The names of a pointer's steps.
    struct Steps: Shrinkable, CustomStringConvertible {
        var names: [String]

        static func random(_ random: inout RandomJSON) -> Steps {
            Steps(
                names: (0..<Int.random(in: 0...3, using: &random.random)).map { _ in
                    random.random.oneIn(2) ? random.key() : random.random.pick("~", "~0", "~1", "/", "//", "~01", "-")
                })
        }

        var smaller: [Steps] {
            self.names.indices.map { index in
                var shorter = self
                shorter.names.remove(at: index)
                return shorter
            }
        }

        var description: String { "\(self.names)" }
    }
}

extension Array: Shrinkable where Element: Shrinkable {
    var smaller: [[Element]] {
        self.indices.flatMap { index in
            self[index].smaller.map { element in
                var copy = self
                copy[index] = element
                return copy
            }
        }
    }
}
