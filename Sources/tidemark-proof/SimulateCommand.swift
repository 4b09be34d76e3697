import Foundation
import TidemarkProof
import TidemarkSimulation
import TidemarkTesting

/// `tidemark-proof simulate`: runs devices, a server and a network as a seed decides, and checks the guarantees.
enum SimulateCommand {
    private static let options: Set = [
        "--seed", "--seeds", "--steps", "--clients", "--faults", "--store", "--script", "--server",
    ]
    private static let flags: Set = [
        "--concurrent", "--shrink", "--without-themes", "--handovers", "--rows", "--tell", "--print",
    ]

    static func run(_ words: some Sequence<String>) async throws -> Bool {
        let input = try ProofWords(words, options: Self.options, flags: Self.flags)
        if input.has("--concurrent") { return try await Self.runConcurrently(input) }
        let plan = try Self.plan(input)
        if input.has("--print") {
            print(plan.first.script, terminator: "")
            return true
        }
        if input.has("--tell") { await plan.runFirst { print($0) } }
        let clock = ContinuousClock()
        let start = clock.now
        let findings = await plan.findings()
        let outcome = SimulationOutcome(findings, seconds: (clock.now - start) / .seconds(1))
        print(outcome.text)
        if let failed = findings.last(where: { $0.report.violation != nil }) {
            if input.has("--shrink") {
                Self.report(await Simulation.onThread { plan.shortest(failed) }, input)
            } else {
                Self.report(failed, input)
            }
            return false
        }
        guard input.has("--rows") else { return true }
        for line in outcome.rows.lines { print(line) }
        return !outcome.rows.isMissingRows
    }

    /// Prints a failed run.
    private static func report(_ failed: SimulationPlan.Finding, _ input: ProofWords) {
        if let violation = failed.report.violation { say("broken: \(violation)") }
        let more = ["--steps", "--clients", "--faults"].map { name in input.value(name).map { " \(name) \($0)" } ?? "" }
        let flags = ["--without-themes", "--handovers"].filter { input.has($0) }.map { " \($0)" }.joined()
        let what = failed.seed.map { "--seed \($0)\(more.joined())\(flags)" } ?? "--script FILE"
        say("after step \(failed.report.steps) of \(failed.name)")
        say("to repeat it and shorten it: tidemark-proof simulate \(Self.server(input))\(what) --shrink")
    }

    /// Prints the shortest failing script: the script on standard output, all else on standard error.
    private static func report(_ shortest: (finding: SimulationPlan.Finding, shrunk: Simulation), _ input: ProofWords) {
        let (failed, shrunk) = shortest
        if let violation = failed.report.violation { say("broken: \(violation)") }
        say("after step \(failed.report.steps) of \(failed.name); the shortest script has \(shrunk.count) steps:")
        print(shrunk.script, terminator: "")
        say("to repeat the script, save it in a file: tidemark-proof simulate \(Self.server(input))--script FILE")
    }

    private static func server(_ input: ProofWords) -> String {
        input.value("--server").map { "--server \($0) " } ?? ""
    }

    // MARK: Several tasks at once

    private static func runConcurrently(_ input: ProofWords) async throws -> Bool {
        for name in ["--shrink", "--script", "--tell", "--print", "--faults", "--server", "--handovers"]
        where input.has(name) {
            throw ProofUsage("\(name) is for runs that can be repeated, and those of --concurrent can't")
        }
        let plan = ConcurrentPlan(
            seeds: try input.seeds(default: 1...100), steps: try input.number("--steps") ?? 2_000,
            devices: try Self.deviceCount(input), store: try Self.store(input))
        let outcome = try await plan.run()
        print(outcome.text)
        guard let (seed, violation) = outcome.failure else { return true }
        say("broken: \(violation)")
        say("in a run of seed \(seed); another run may differ, since the scheduler decides the order of the calls")
        return false
    }

    // MARK: Options

    private static func deviceCount(_ input: ProofWords) throws(ProofUsage) -> Int? {
        let devices = try input.number("--clients")
        if let devices, !(2...8).contains(devices) {
            throw ProofUsage("--clients \(devices) is not a number from 2 to 8")
        }
        return devices
    }

    private static func faults(_ input: ProofWords) throws(ProofUsage) -> Set<SimulationFault> {
        switch input.value("--faults") {
        case nil, "all": return Set(SimulationFault.allCases)
        case "none": return []
        case .some(let text):
            var faults: Set<SimulationFault> = []
            for bytes in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                let name = String(Substring(bytes))
                guard let fault = SimulationFault(rawValue: name) else {
                    let names = SimulationFault.allCases.map(\.rawValue).joined(separator: ", ")
                    throw ProofUsage("--faults \(text) has “\(name)”, which is not one of \(names)")
                }
                faults.insert(fault)
            }
            return faults
        }
    }

    private static func plan(_ input: ProofWords) throws -> SimulationPlan {
        let (store, lesser) = (try Self.store(input), try Self.lesser(input))
        let devices = try Self.deviceCount(input)
        guard let path = input.value("--script") else {
            let steps = try input.number("--steps") ?? (lesser == nil ? 2_000 : 1_000)
            return SimulationPlan(
                seeds: try input.seeds(default: 1...100), steps: steps, devices: devices,
                faults: try Self.faults(input), isThemed: !input.has("--without-themes"),
                isHandedOver: input.has("--handovers") ? true : nil, lesser: lesser, store: store)
        }
        for name in ["--seed", "--seeds", "--steps", "--clients", "--faults", "--handovers"] where input.has(name) {
            throw ProofUsage("--script replaces \(name); leave \(name) out")
        }
        let text = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
        return SimulationPlan(script: try Simulation(parsing: text, lesser: lesser, store: store.make))
    }

    /// A server that does less than the reference server.
    private static func lesser(_ input: ProofWords) throws(ProofUsage) -> LesserForm.Kind? {
        guard let name = input.value("--server") else { return nil }
        for option in ["--rows", "--without-themes"] where input.has(option) {
            throw ProofUsage("\(option) is for the reference server; leave \(option) or --server out")
        }
        guard let kind = LesserForm.Kind(rawValue: name) else {
            let kinds = LesserForm.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw ProofUsage("--server \(name) is not one of \(kinds)")
        }
        return kind
    }

    private static func store(_ input: ProofWords) throws(ProofUsage) -> SimulatedStore {
        guard let name = input.value("--store") else { return .memory }
        guard let store = SimulatedStore(rawValue: name) else {
            throw ProofUsage("--store \(name) is neither memory nor sqlite")
        }
        return store
    }
}
