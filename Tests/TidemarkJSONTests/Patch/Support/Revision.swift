@testable import TidemarkJSON

/// Two documents, the second most often edited from the first.
struct Revision: Shrinkable, CustomStringConvertible {
    var before: JSON?
    var after: JSON?

    static func random(_ random: inout RandomJSON) -> Revision {
        let before = random.document()
        return Revision(before: before, after: random.revised(before))
    }

    var smaller: [Revision] {
        self.before.smaller.map { Revision(before: $0, after: self.after) }
            + self.after.smaller.map { Revision(before: self.before, after: $0) }
    }

    var description: String { "\(self.before?.text ?? "nothing") → \(self.after?.text ?? "nothing")" }
}

extension Optional: Shrinkable where Wrapped: Shrinkable {
    var smaller: [Wrapped?] {
        guard let self else { return [] }
        return [nil] + self.smaller.map { $0 }
    }
}
