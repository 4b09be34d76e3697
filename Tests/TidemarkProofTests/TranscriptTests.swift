import TidemarkCore
import TidemarkProof
import TidemarkRules
import TidemarkSimulation
import TidemarkTesting
import Testing

@Suite("The transcript of all that the simulations do") struct TranscriptTests {
    typealias Kind = SimulationTranscript.Kind

    private static let plan = TranscriptPlan(steps: 80, sqlite: { MemoryStore() })

    private static func kinds(_ one: [String], differFrom other: [String]) -> [Kind] {
        zip(Kind.allCases, zip(one, other)).filter { $1.0 != $1.1 }.map(\.0)
    }

    @Test(arguments: TranscriptPlan.Form.allCases)
    func `two runs of a seed have the same hashes, and two seeds differ in each`(form: TranscriptPlan.Form) async {
        let group = await Self.plan.group(3...6, over: form, atOnce: 2)
        #expect(await Self.plan.group(3...6, over: form, atOnce: 1) == group)
        let other = await Self.plan.group(4...7, over: form, atOnce: 2)
        #expect(group.differences(from: other) == Kind.allCases)
        #expect(group.text == "\(form.name) 3..6 \(group.hashes.joined(separator: " "))")
    }

    @Test(arguments: Kind.allCases)
    func `a changed fact changes the hash of its kind alone`(kind: Kind) {
        let (one, other) = (SimulationTranscript(), SimulationTranscript())
        for transcript in [one, other] {
            for kind in Kind.allCases { transcript.add(kind, "phone", "notes", "a") }
        }
        #expect(Self.kinds(one.hashes, differFrom: other.hashes).isEmpty)
        one.add(kind, "phone", "notes", nil)
        other.add(kind, "phone", "notes", "b")
        #expect(Self.kinds(one.hashes, differFrom: other.hashes) == [kind])
    }

    @Test func `another decision of the engine shows in requests, traces, effects, journals and stores`() {
        func hashes(_ tactic: any Tactic) -> [String] {
            let transcript = SimulationTranscript()
            let own = SyncConfiguration(rules: CollectionRules(tactic: tactic))
            for seed in 1...4 as ClosedRange<UInt64> {
                _ = Simulation(seed: seed, steps: 200, configuration: own).run(into: transcript)
            }
            return transcript.hashes
        }
        #expect(Self.kinds(hashes(.takeServer), differFrom: hashes(.takeClient)) == Kind.allCases)
    }

    @Test func `a renamed word has the hash of its former name, and a part of a word is not renamed`() {
        func hashes(_ words: [String], _ renames: [String: String] = [:]) -> [String] {
            let transcript = SimulationTranscript(renames: renames)
            transcript.add(.traces, [Array(#"{"cause":"server-went-back"}"#.utf8)] + words.map { Array($0.utf8) })
            return transcript.hashes
        }
        let former = hashes(["retryAuth", "EDITED.idle", "retryAuthentication"])
        let present = ["dueToTryAccess", "EDITED.ready", "retryAuthentication"]
        #expect(hashes(present) != former)
        #expect(hashes(present, ["dueToTryAccess": "retryAuth", "ready": "idle"]) == former)
    }

    @Test func `the words of a fact are separate, and a missing one is not an empty one`() {
        let facts: [[String?]] = [["a", "b"], ["ab"], ["a", "", "b"], ["a", nil, "b"]]
        let hashes = facts.map { words in
            let transcript = SimulationTranscript()
            transcript.add(.effects, words.map { $0.map { Array($0.utf8) } })
            return transcript.hashes
        }
        #expect(Set(hashes).count == facts.count)
    }
}
