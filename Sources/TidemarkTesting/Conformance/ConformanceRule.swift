/// A rule of Contract §5 in the messages of the checks.
package struct ConformanceRule: Sendable {
    /// The number of the rule, which is its heading in the contract: `W3`.
    package let number: String

    /// The rule in one line.
    package let title: String

    /// How a server keeps the rule.
    package let advice: String

    /// The part of the rule that no check of a client can test; nil if all of it can be tested.
    package let beyond: String?

    /// All rules.
    package static let all = [
        ConformanceRule(
            number: "W1", title: "an edit of another version is conflicted",
            advice: "Compare the edit's updated_at with that of the row, in the transaction that writes the row.",
            beyond: nil),
        ConformanceRule(
            number: "W2", title: "a conflict changes nothing and has the present row",
            advice: "Return the row of the database as item of a conflicted result, or null if there is none.",
            beyond: nil),
        ConformanceRule(
            number: "W3", title: "versions grow in the order of the commits",
            advice: "Assign the version inside the lock that orders the commits of a collection, not before it.",
            beyond: "commits that take longer than those of the check, and servers with several processes"),
        ConformanceRule(
            number: "W4", title: "the same request_id has the same answer",
            advice: """
                Store each whole result, its item too, with its request_id in the transaction that writes the row, and do \
                not read the row again for a repetition; compare edits as JSON.
                """,
            beyond: "for how long answers are kept, and the item of a large result"),
        ConformanceRule(
            number: "W5", title: "each edit is atomic and separate",
            advice:
                "Apply a patch to a copy, and store it only if all its operations succeeded; refuse only that edit.",
            beyond: nil),
        ConformanceRule(
            number: "W6", title: "no cursor passes rows that were left out",
            advice: "Return the cursor of the last row of the page, unless the page is the last one.", beyond: nil),
        ConformanceRule(
            number: "W7", title: "a delete leaves a tombstone, and can be repeated",
            advice:
                "Keep a row without data, with a new version; accept a delete of it, or of no row, without a change.",
            beyond: "how long tombstones are kept, and the purge"),
        ConformanceRule(
            number: "W8", title: "a cursor that is not of this history is answered with 410",
            advice: "Check epoch, account, collection and range of the cursor before anything is applied.",
            beyond: "a cursor from before a purge"),
        ConformanceRule(
            number: "W9", title: "an edit that changes nothing keeps the version",
            advice: "Compare the row before and after the patch by value, and keep the version if they are equal.",
            beyond: nil),
        ConformanceRule(
            number: "W10", title: "accounts are separate, and invalid requests are refused",
            advice: "Select rows by the account of the token; answer errors as application/problem+json.",
            beyond: """
                timing, slow and half-open connections, tokens that are added or removed, and the status of other methods \
                than GET and POST (405)
                """),
    ]

    /// The parts of the wire that no rule contains, and no check tests.
    fileprivate static let beyondAll = [
        "change notifications: the comment line every 15 s",
        "limits: a record that is too large or nested too deeply, and a URL or head that is too long",
    ]

    /// The heading in the contract, and the rule.
    package var heading: String { "\(self.number), \(self.title) (Contract.md#\(self.number.lowercased()))" }
}

extension ConformanceReport {
    /// The rules that it checks, with their headings.
    package var headings: [String] {
        self.rules.compactMap { rule in ConformanceRule.all.first { $0.number == rule }?.heading }
    }

    /// The advice for the author of the server about a broken rule.
    package var advice: [String] {
        let advice = self.rules.compactMap { rule in ConformanceRule.all.first { $0.number == rule }?.advice }
        return advice.isEmpty ? ["Compare the answer with “The wire, for authors of servers” (TheWire.md)."] : advice
    }

    /// The gaps of a run, rule by rule: the checks that were not made or not finished, and the parts that no check can test.
    package static func unchecked(in reports: [ConformanceReport]) -> [String] {
        let open = reports.compactMap { report -> (rules: [String], line: String)? in
            switch report.outcome {
            case .kept, .broken: nil
            case .skipped(let why), .unchecked(let why): (report.rules, "\(report.check): \(why)")
            }
        }
        let byRule = ConformanceRule.all.flatMap { rule in
            open.filter { $0.rules.first == rule.number }.map(\.line)
                + (rule.beyond.map { ["\(rule.number) \($0): no check shows that"] } ?? [])
        }
        return byRule + open.filter(\.rules.isEmpty).map(\.line)
            + ConformanceRule.beyondAll.map { "\($0): no check shows that" }
    }
}
