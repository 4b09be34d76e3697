/// A simulation as text: what holds for the whole run, then the steps, one a line. `#` begins a comment.
///
/// ```
/// seed 7
/// devices 2
/// rule /title ask
///
/// phone create notes a v1
/// phone sync notes
/// ```
package struct SimulationScript: Hashable, Sendable {
    package var setting: SimulationSetting
    package var steps: [SimulationStep]

    init(_ setting: SimulationSetting, _ steps: [SimulationStep]) {
        self.setting = setting
        self.steps = steps
    }

    /// Reads a script.
    ///
    /// - Throws: ``SimulationScriptError``.
    init(parsing text: String) throws(SimulationScriptError) {
        self.init(SimulationSetting(), [])
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.prefix { $0 != "#" }
            guard line.contains(where: { $0 != " " }) else { continue }
            if let step = SimulationStep(line) {
                self.steps.append(step)
            } else if !self.steps.isEmpty || !self.setting.take(line) {
                throw SimulationScriptError(line: index + 1, text: String(line))
            }
        }
    }

    var text: String {
        (self.setting.lines + [""] + self.steps.map(\.text)).map { $0 + "\n" }.joined()
    }
}

/// What is wrong with the text of a simulation.
public struct SimulationScriptError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line, counted from 1.
    public let line: Int

    /// What stands there.
    public let text: String

    /// Where, and what.
    public var description: String {
        "line \(self.line): “\(self.text)” is no step of a simulation, and nothing that is set before the first"
    }
}
