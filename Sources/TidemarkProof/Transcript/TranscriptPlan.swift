package import TidemarkSimulation
package import TidemarkTesting

/// The runs whose transcripts are compared: each seed over each store, and over each server that does less.
package struct TranscriptPlan: Sendable {
    /// What the devices of a run use: a store with the reference server, or a server that does less.
    package enum Form: Hashable, Sendable, CaseIterable {
        case memory
        case sqlite
        case lesser(LesserForm.Kind)

        /// All forms, in the order of the file.
        package static let allCases: [Form] = [.memory, .sqlite] + LesserForm.Kind.allCases.map(Form.lesser)

        /// The name in the file and in the tool.
        package var name: String {
            switch self {
            case .memory: "memory"
            case .sqlite: "sqlite"
            case .lesser(let kind): kind.rawValue
            }
        }
    }

    /// The number of steps of each seed.
    private let steps: Int

    /// The former names, by the present name.
    private let renames: [String: String]

    /// Makes a store of the form ``Form/sqlite``.
    private let sqlite: @Sendable () throws -> any CopyableStore

    /// Makes a plan.
    ///
    /// - Parameters:
    ///   - steps: The number of steps of each seed.
    ///   - renames: The names that have changed, each with its former name, by the present name.
    ///   - sqlite: Makes an empty store of SQLite.
    package init(
        steps: Int, renames: [String: String] = [:], sqlite: @escaping @Sendable () throws -> any CopyableStore
    ) {
        self.steps = steps
        self.renames = renames
        self.sqlite = sqlite
    }

    /// Performs the run of a seed.
    ///
    /// - Parameter report: Called with each fact as a line of text.
    /// - Returns: The hashes, in the order of ``SimulationTranscript/Kind``.
    package func hashes(
        of seed: UInt64, over form: Form, report: (@Sendable (String) -> Void)? = nil
    ) async -> [String] {
        let faults = Set(SimulationFault.allCases)
        let simulation =
            switch form {
            case .memory: Simulation(seed: seed, steps: self.steps, faults: faults)
            case .sqlite: Simulation(seed: seed, steps: self.steps, faults: faults, store: self.sqlite)
            case .lesser(let kind):
                Simulation(seed: seed, steps: self.steps, devices: nil, faults: faults, lesser: kind)
            }
        let renames = self.renames
        return await Simulation.onThread {
            let transcript = SimulationTranscript(renames: renames, report: report)
            _ = simulation.run(into: transcript)
            return transcript.hashes
        }
    }

    /// Performs the runs of some seeds side by side, and returns one hash of all for each kind of fact.
    ///
    /// - Parameter count: The number of runs at the same time.
    package func group(_ seeds: ClosedRange<UInt64>, over form: Form, atOnce count: Int) async -> TranscriptGroup {
        var hashes: [UInt64: [String]] = [:]
        await withTaskGroup(of: (UInt64, [String]).self) { group in
            var rest = seeds.makeIterator()
            func begin() {
                guard let seed = rest.next() else { return }
                group.addTask { (seed, await self.hashes(of: seed, over: form)) }
            }
            for _ in 0..<max(count, 1) { begin() }
            for await (seed, found) in group {
                hashes[seed] = found
                begin()
            }
        }
        var digests = SimulationTranscript.Kind.allCases.map { _ in SimulationDigest() }
        for seed in seeds {
            for (place, hash) in (hashes[seed] ?? []).enumerated() { digests[place].add(hash) }
        }
        return TranscriptGroup(form: form, seeds: seeds, hashes: digests.map(\.text))
    }
}

/// The hashes of some seeds over one form.
package struct TranscriptGroup: Hashable, Sendable {
    /// The form of the runs.
    package let form: TranscriptPlan.Form

    package let seeds: ClosedRange<UInt64>

    /// The hashes, in the order of ``SimulationTranscript/Kind``.
    package let hashes: [String]

    /// The line of the file.
    package var text: String {
        "\(self.form.name) \(self.seeds.lowerBound)..\(self.seeds.upperBound) \(self.hashes.joined(separator: " "))"
    }

    /// The kinds of facts in which the same seeds differ over another form.
    package func differences(from other: TranscriptGroup) -> [SimulationTranscript.Kind] {
        zip(SimulationTranscript.Kind.allCases, zip(self.hashes, other.hashes)).filter { $1.0 != $1.1 }.map(\.0)
    }
}
