/// A simulation as text: the settings of the run, then the steps, one a line. `#` begins a comment.
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
    package init(parsing text: String) throws(SimulationScriptError) {
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

    package var text: String {
        (self.setting.lines + [""] + self.steps.map(\.text)).map { $0 + "\n" }.joined()
    }
}

/// An error in the text of a simulation.
public struct SimulationScriptError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The line, counted from 1.
    public let line: Int

    /// The text of the line.
    public let text: String

    /// The number and the text of the line.
    public var description: String {
        "line \(self.line): “\(self.text)” is neither a step nor a setting before the first step"
    }
}
