import TestSupport
@testable import TidemarkJSON

/// A document and its versions on two sides.
struct Fork: Shrinkable, CustomStringConvertible {
    var base: JSON?
    var server: JSON?
    var client: JSON?

    static func random(_ random: inout RandomJSON) -> Fork {
        let base = random.document()
        var fork = Fork(base: base, server: random.revised(base), client: random.revised(base))
        // Random edits seldom clash at deep places; nested forks do.
        while random.random.oneIn(3) { fork = Fork(base: base, around: fork, key: random.key(), &random) }
        return fork
    }

    init(base: JSON?, server: JSON?, client: JSON?) {
        self.base = base
        self.server = server
        self.client = client
    }

    /// A fork of a record with another fork as one of its members.
    private init(base: JSON?, around inner: Fork, key: String, _ random: inout RandomJSON) {
        self.base = base
        self.server = random.revised(base)
        self.client = random.revised(base)
        self.base?[key] = inner.base
        self.server?[key] = inner.server
        self.client?[key] = inner.client
    }

    /// The same with the sides swapped.
    var swapped: Fork { Fork(base: self.base, server: self.client, client: self.server) }

    func merge(
        rule: (JSONPointer) -> JSONMerge.FieldDecision? = { _ in nil }, sums: (JSONPointer) -> Bool = { _ in false }
    ) -> JSONMerge {
        .merge(base: self.base, server: self.server, client: self.client, rule: rule, sums: sums)
    }

    var smaller: [Fork] {
        self.base.smaller.map { Fork(base: $0, server: self.server, client: self.client) }
            + self.server.smaller.map { Fork(base: self.base, server: $0, client: self.client) }
            + self.client.smaller.map { Fork(base: self.base, server: self.server, client: $0) }
    }

    var description: String {
        "base \(self.base?.text ?? "nothing"), server \(self.server?.text ?? "nothing"), "
            + "client \(self.client?.text ?? "nothing")"
    }
}
