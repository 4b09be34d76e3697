@testable import TidemarkJSON

/// A document, a patch that applies to it, and one that applies to the result.
struct Patched: Shrinkable, CustomStringConvertible {
    var document: JSON?
    var first: JSONPatch
    var second: JSONPatch

    static func random(_ random: inout RandomJSON) -> Patched {
        let document = random.document()
        let first = random.patch(over: document)
        // Only applicable operations are generated, so an error here leads to a second patch that does not apply.
        let middle = (try? first.apply(to: document)) ?? nil
        return Patched(document: document, first: first, second: random.patch(over: middle))
    }

    /// The document after both patches.
    func result() throws -> JSON? { try self.second.apply(to: try self.first.apply(to: self.document)) }

    /// Smaller patches that still apply.
    var smaller: [Patched] {
        let candidates =
            self.first.shorter.map { Patched(document: self.document, first: $0, second: self.second) }
            + self.second.shorter.map { Patched(document: self.document, first: self.first, second: $0) }
            + self.document.smaller.map { Patched(document: $0, first: self.first, second: self.second) }
        return candidates.filter { (try? $0.result()) != nil }
    }

    var description: String { "\(self.document?.text ?? "nothing"), then \(self.first), then \(self.second)" }
}

extension JSONPatch {
    /// The patches with one operation less; paths and values stay, since they depend on one another.
    fileprivate var shorter: [JSONPatch] {
        self.operations.indices.map { index in
            var shorter = self
            shorter.operations.remove(at: index)
            return shorter
        }
    }
}
