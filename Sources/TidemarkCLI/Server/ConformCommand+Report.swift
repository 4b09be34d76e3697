import Tidemark
import TidemarkTesting

extension ConformanceReport {
    /// `{"check","rules":[…],"outcome":"kept|broken|skipped|unchecked","why","evidence":[…]}`; if broken, also
    /// `"advice":[…],"exchanges":[…]`.
    var line: JSONLine {
        var line = JSONLine()
        line.add("check", self.check)
        line.add("rules", self.rules)
        line.add("outcome", self.word)
        line.add("why", self.why)
        line.add("evidence", self.evidence)
        if self.isBroken {
            line.add("advice", self.advice)
            line.add("exchanges", self.exchanges.flatMap(\.lines))
        }
        return line
    }

    /// The lines for the user: the check, why it failed, its requests, and if it failed also the rules, what to do, and the
    /// last requests as they were sent.
    func lines(shown: Int) -> [String] {
        let isKept = self.why == nil
        let shown = isKept ? Array(self.evidence.suffix(shown)) : self.evidence
        let hidden = self.evidence.count - shown.count
        let before = hidden > 0 ? ["(\(hidden) earlier requests)"] : []
        let lines = (self.why.map { [$0] } ?? []) + self.remedy + before + shown
        // A command of curl stays on one line, to be copied.
        return ["\(isKept ? self.word : self.word.uppercased()): \(self.check)"]
            + lines.flatMap(ConformCommand.indented) + self.exchanges.flatMap(\.lines).map { "    \($0)" }
    }

    private var remedy: [String] {
        guard self.isBroken else { return [] }
        return self.headings.map { "rule: \($0)" } + self.advice.map { "to do: \($0)" }
    }

    /// Whether the server violates the contract.
    var isBroken: Bool { if case .broken = self.outcome { true } else { false } }

    private var word: String {
        switch self.outcome {
        case .kept: "kept"
        case .broken: "broken"
        case .skipped: "skipped"
        case .unchecked: "unchecked"
        }
    }

    private var why: String? {
        switch self.outcome {
        case .kept: nil
        case .broken(let why), .skipped(let why), .unchecked(let why): why
        }
    }
}
