import TidemarkCore

/// Task records of some 210 bytes, the same for the same seed.
package struct TaskMaker {
    package struct Task {
        package let pk: String
        package let text: String
    }

    private static let verbs = ["Call", "Write to", "Pay", "Fetch", "Mend", "Ask", "Order from", "Thank"]
    private static let nouns = ["the dentist", "the plumber", "Aunt Mo", "the school", "a neighbour", "the bakery"]
    private static let tags = ["home", "work", "phone", "garden", "urgent", "someday"]
    private static let names = ["Noor Haddad", "Ida Lind", "José Peña", "Mei Tanaka", "Tom O’Hara"]

    private var generator: SeededGenerator

    package init(seed: UInt64) {
        self.generator = SeededGenerator(seed: seed)
    }

    /// The record of a number. The records are the same each time only if they are made in order.
    package mutating func next(_ number: Int, pk: String? = nil) -> Task {
        let chance = self.generator.next()
        let pk = pk ?? "task-\(String(chance, radix: 36))-\(number)"
        let pick = { (words: [String], shift: UInt64) in words[Int((chance >> shift) % UInt64(words.count))] }
        let day = 10 + (chance >> 20) % 18
        let text = """
            {"id":"\(pk)","title":"\(pick(Self.verbs, 3)) \(pick(Self.nouns, 9)) about \(number)",\
            "done":\((chance >> 5) % 2 == 0),"priority":\((chance >> 7) % 5),\
            "tags":["\(pick(Self.tags, 11))","\(pick(Self.tags, 17))"],"due":"2026-03-\(day)T09:30:00Z",\
            "estimate":\((chance >> 30) % 9).5,\
            "assignee":{"id":\((chance >> 34) % 500),"name":"\(pick(Self.names, 40))"}}
            """
        return Task(pk: pk, text: text)
    }
}
