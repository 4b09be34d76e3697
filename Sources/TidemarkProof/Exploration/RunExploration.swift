package import TidemarkSimulation

/// The model checker of the run loop (Contract §7).
///
/// The real `RunMachine` runs in a ``RunWorld`` in every order of a number of inputs. Each step is checked, and so are all states
/// together.
///
/// ```swift
/// let exploration = RunExploration(inputs: 5)
/// #expect(exploration.report.violation == nil, "\(exploration.report.trace.joined(separator: "\n"))")
/// ```
package struct RunExploration: Sendable {
    /// How many states and steps there are, and the first violation.
    package let report: Explorer<RunWorld>.Report

    /// The cells of the table that were not taken, in the order of the table.
    package let never: [RunCell]

    /// Explores the run loop with a number of inputs: 5 take seconds in a debug build too, and 7 take minutes in a release
    /// build.
    package init(inputs: Int) {
        var taken: Set<RunCell> = []
        var explorer = Explorer<RunWorld>(limit: 8_000_000)
        // Inserted one by one, since a set of a few cells for each step would cost more than the step.
        self.report = explorer.explore(from: RunWorld(inputs: inputs)) {
            for cell in $0.taken { taken.insert(cell) }
        }
        self.never = RunCell.all.filter { !taken.contains($0) }
    }
}
