import Tidemark
import TidemarkTesting

/// `tidemark simulate`: lets devices, a server and a network do what a seed decides, and checks what is promised.
enum SimulateCommand: Command {
    static let name = "simulate"
    static let summary = "let a seed decide what happens to devices and a server, and check what is promised"
    static let parameters: [Parameter] = []
    static let options = [
        Self.seed, Self.seeds, Self.steps, Self.clients, Self.faults, Self.store,
        Option(
            name: Self.concurrent,
            summary: "let several tasks use each device's client at once; no two runs are alike then"),
        Option(name: Self.shrink, summary: "of a run that fails, find a short script that fails in the same way"),
        Option(name: Self.rows, summary: "print which rows of the tables were never taken; one without a reason is an error"),
        Option(name: Self.withoutThemes, summary: "let every seed be about everything, none about one thing"),
        Self.script, Option(name: Self.tell, summary: "of a script, print what happens, a line each"),
        Option(name: Self.printing, summary: "print the script of a seed, and perform nothing"),
        Option(name: "--json", summary: "print what was found as one JSON object"),
    ]
    static let example = "tidemark simulate --seeds 1..20 --steps 500"

    private static let concurrent = "--concurrent"
    private static let shrink = "--shrink"
    private static let rows = "--rows"
    private static let withoutThemes = "--without-themes"
    private static let tell = "--tell"
    private static let printing = "--print"
    private static let seed = Option(name: "--seed", value: "N", summary: "which run, alone")
    private static let seeds = Option(
        name: "--seeds", value: "A..B", summary: "which runs: from a seed to another (1..100)")
    private static let steps = Option(name: "--steps", value: "N", summary: "how many steps each run has (2000)")
    private static let clients = Option(
        name: "--clients", value: "N",
        summary: "how many devices, from 2 to 8; each run has its own number when left out")
    private static let faults = Option(
        name: "--faults", value: "all|none|A,B",
        summary: "what can befall them: \(SimulationFault.allCases.map(\.rawValue).joined(separator: ", ")) (all)")
    private static let store = Option(
        name: "--store", value: "STORE", summary: "what the devices keep records in: memory (when left out) or sqlite",
        kind: .choice(SimulatedStore.allCases.map(\.rawValue)))
    private static let script = Option(
        name: "--script", value: "FILE", summary: "perform the script in a file in place of drawn ones", kind: .file)

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        if input.has(Option(name: Self.concurrent, summary: "")) {
            return try await Self.runConcurrently(input, console)
        }
        let plan = try Self.plan(input, console)
        if input.has(Option(name: Self.printing, summary: "")) {
            try console.print(bytes: Array(plan.first.script.utf8), end: "")
            return .success
        }
        if input.has(Option(name: Self.tell, summary: "")) { plan.tell { try? console.print($0) } }
        let clock = ContinuousClock()
        let start = clock.now
        let findings = await plan.findings()
        let outcome = SimulationOutcome(findings, seconds: (clock.now - start) / .seconds(1))
        let failed = findings.last { $0.report.violation != nil }
        if input.has(Option.json) {
            try console.print(bytes: outcome.line.bytes)
        } else {
            try console.print(outcome.text)
        }
        guard let failed else {
            guard input.has(Option(name: Self.rows, summary: "")) else { return .success }
            for line in outcome.rows.lines { try console.print(line) }
            return outcome.rows.missing.isEmpty ? .success : .failure
        }
        if input.has(Option(name: Self.shrink, summary: "")) {
            try Self.tell(plan.shortest(failed), input, console)
        } else {
            Self.tell(failed, input, console)
        }
        return .failure
    }

    /// What is known of a run that failed.
    private static func tell(_ failed: SimulationPlan.Finding, _ input: Arguments, _ console: Console) {
        if let violation = failed.report.violation { console.say("broken: \(violation)") }
        let steps = input.value(Self.steps).map { " --steps \($0)" } ?? ""
        let clients = input.value(Self.clients).map { " --clients \($0)" } ?? ""
        let faults = input.value(Self.faults).map { " --faults \($0)" } ?? ""
        let themes = input.has(Option(name: Self.withoutThemes, summary: "")) ? " \(Self.withoutThemes)" : ""
        let what = failed.seed.map { "--seed \($0)\(steps)\(clients)\(faults)\(themes)" } ?? "--script FILE"
        console.say("after step \(failed.report.steps) of \(failed.name)")
        console.say("repeat it, and see what of it is enough: tidemark simulate \(what) --shrink")
    }

    /// What of a run that failed is enough: on standard error, but for the script, which is to be kept.
    private static func tell(
        _ shortest: (finding: SimulationPlan.Finding, shrunk: Simulation), _ input: Arguments, _ console: Console
    ) throws {
        let (failed, shrunk) = shortest
        if let violation = failed.report.violation { console.say("broken: \(violation)") }
        console.say("after step \(failed.report.steps) of \(failed.name); \(shrunk.count) steps are enough:")
        if !input.has(Option.json) { try console.print(bytes: Array(shrunk.script.utf8), end: "") }
        console.say("keep the script in a file, and repeat it: tidemark simulate --script FILE")
    }

    // MARK: Several tasks at once

    private static func runConcurrently(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        for name in [Self.shrink, Self.script.name, Self.tell, Self.printing, Self.faults.name]
        where input.has(Option(name: name, summary: "")) {
            throw UsageError(
                "\(name) is for runs that can be repeated, and \(Self.concurrent) has none", for: Self.self)
        }
        let plan = ConcurrentPlan(
            seeds: try Self.range(input), steps: try input.number(Self.steps) ?? 2_000,
            devices: try Self.deviceCount(input), store: try Self.chosenStore(input))
        let outcome = try await plan.run()
        if input.has(Option.json) {
            try console.print(bytes: outcome.line.bytes)
        } else {
            try console.print(outcome.text)
        }
        guard let (seed, violation) = outcome.failure else { return .success }
        console.say("broken: \(violation)")
        console.say("in a run of seed \(seed); the next one may be another: the scheduler decides what meets what")
        return .failure
    }

    // MARK: What was asked for

    private static func deviceCount(_ input: Arguments) throws(UsageError) -> Int? {
        let devices = try input.number(Self.clients)
        if let devices, !(2...8).contains(devices) {
            throw UsageError("--clients \(devices) is not a number from 2 to 8", for: Self.self)
        }
        return devices
    }

    private static func chosenFaults(_ input: Arguments) throws(UsageError) -> Set<SimulationFault> {
        switch input.value(Self.faults) {
        case nil, "all": return Set(SimulationFault.allCases)
        case "none": return []
        case .some(let text):
            var faults: Set<SimulationFault> = []
            for bytes in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                let name = String(Substring(bytes))
                guard let fault = SimulationFault(rawValue: name) else {
                    throw UsageError(
                        "--faults \(text) has “\(name)”, which is none of \(SimulationFault.allCases.map(\.rawValue).joined(separator: ", "))",
                        for: Self.self)
                }
                faults.insert(fault)
            }
            return faults
        }
    }

    private static func plan(_ input: Arguments, _ console: Console) throws -> SimulationPlan {
        let store = try Self.chosenStore(input)
        let devices = try Self.deviceCount(input)
        guard let path = input.value(Self.script) else {
            return SimulationPlan(
                seeds: try Self.range(input), steps: try input.number(Self.steps) ?? 2_000, devices: devices,
                faults: try Self.chosenFaults(input),
                isThemed: !input.has(Option(name: Self.withoutThemes, summary: "")), store: store)
        }
        for option in [Self.seed, Self.seeds, Self.steps, Self.clients, Self.faults] where input.has(option) {
            throw UsageError("--script says all that \(option.name) would; leave it out", for: Self.self)
        }
        let bytes = try InputFile(path) { console.say($0) }.rest()
        do throws(SimulationScriptError) {
            return SimulationPlan(
                script: try Simulation(parsing: String(decoding: bytes, as: UTF8.self), store: store.make))
        } catch {
            throw CommandFailure("\(path): \(error).")
        }
    }

    private static func chosenStore(_ input: Arguments) throws(UsageError) -> SimulatedStore {
        guard let name = input.value(Self.store) else { return .memory }
        guard let store = SimulatedStore(rawValue: name) else {
            throw UsageError("--store \(name) is neither memory nor sqlite", for: Self.self)
        }
        return store
    }

    private static func range(_ input: Arguments) throws(UsageError) -> ClosedRange<UInt64> {
        if let text = input.value(Self.seed) {
            guard !input.has(Self.seeds) else {
                throw UsageError("--seed and --seeds are not to be given together", for: Self.self)
            }
            guard let seed = UInt64(text) else {
                throw UsageError("--seed \(text) is no whole number from 0 on", for: Self.self)
            }
            return seed...seed
        }
        guard let text = input.value(Self.seeds) else { return 1...100 }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let ends = parts.map { UInt64(Substring($0)) }
        guard ends.count == 3, parts[1].isEmpty, case (let first?, let last?) = (ends[0], ends[2]), first <= last
        else {
            throw UsageError("--seeds \(text) is no range of seeds; write it as 1..100", for: Self.self)
        }
        return first...last
    }
}

/// What devices of a simulation keep their records in.
enum SimulatedStore: String, CaseIterable, Sendable {
    case memory, sqlite

    /// Makes an empty one.
    var make: @Sendable () throws -> any CopyableStore {
        switch self {
        case .memory: { MemoryStore() }
        case .sqlite: { try SQLiteStore.sqliteInMemory() }
        }
    }
}
