import Foundation
import TidemarkProof
import TidemarkSimulation

/// `tidemark-proof transcript`: prints hashes of all that the devices of the simulations do, to compare two builds.
enum TranscriptCommand {
    private static let options: Set = ["--form", "--seed", "--seeds", "--steps", "--group", "--renames"]

    static func run(_ words: some Sequence<String>) async throws -> Bool {
        let input = try ProofWords(words, options: Self.options, flags: ["--print"])
        let (forms, seeds) = (try Self.forms(input), try input.seeds(default: 1...100))
        let plan = TranscriptPlan(
            steps: try input.number("--steps") ?? 300, renames: try Self.renames(input),
            sqlite: SimulatedStore.sqlite.make)
        if input.has("--print") {
            for form in forms {
                for seed in seeds { _ = await plan.hashes(of: seed, over: form) { print($0) } }
            }
            return true
        }
        return await Self.compare(forms, seeds, try input.number("--group") ?? 100, plan)
    }

    /// Prints the hashes of each group of seeds.
    ///
    /// - Returns: Whether the hashes over both stores are the same, as far as both were asked for.
    private static func compare(
        _ forms: [TranscriptPlan.Form], _ seeds: ClosedRange<UInt64>, _ size: Int, _ plan: TranscriptPlan
    ) async -> Bool {
        var isSame = true
        var inMemory: [ClosedRange<UInt64>: TranscriptGroup] = [:]
        for form in forms {
            for first in stride(from: seeds.lowerBound, through: seeds.upperBound, by: size) {
                let range = first...min(first + UInt64(size) - 1, seeds.upperBound)
                let group = await plan.group(range, over: form, atOnce: ProcessInfo.processInfo.activeProcessorCount)
                print(group.text)
                if form == .memory { inMemory[range] = group }
                guard form == .sqlite, let other = inMemory[range] else { continue }
                let differences = group.differences(from: other).map(\.rawValue)
                guard !differences.isEmpty else { continue }
                isSame = false
                say(
                    "the stores differ in \(differences.joined(separator: ", ")) of \(range.lowerBound)..\(range.upperBound)"
                )
            }
        }
        return isSame
    }

    private static func forms(_ input: ProofWords) throws(ProofUsage) -> [TranscriptPlan.Form] {
        guard let name = input.value("--form") else { return TranscriptPlan.Form.allCases }
        guard let form = TranscriptPlan.Form.allCases.first(where: { $0.name == name }) else {
            let names = TranscriptPlan.Form.allCases.map(\.name).joined(separator: ", ")
            throw ProofUsage("--form \(name) is not one of \(names)")
        }
        return [form]
    }

    /// Reads the names that have changed: lines `renamed FORMER PRESENT`; all other lines are ignored.
    private static func renames(_ input: ProofWords) throws -> [String: String] {
        guard let path = input.value("--renames") else { return [:] }
        let text = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
        var renames: [String: String] = [:]
        for line in text.split(separator: "\n") {  // own text: scripts/transcript.txt
            let words = line.split(separator: " ").map(String.init)  // own text: scripts/transcript.txt
            if words.count == 3, words[0] == "renamed" { renames[words[2]] = words[1] }
        }
        return renames
    }
}
