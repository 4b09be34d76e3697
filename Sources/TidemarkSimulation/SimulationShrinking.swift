/// Shortens a failing script by removing parts that the failure does not need (delta debugging).
package struct SimulationShrinking {
    private let fails: (SimulationScript) -> Bool

    package init(_ fails: @escaping (SimulationScript) -> Bool) {
        self.fails = fails
    }

    /// - Parameter count: The number of steps to the failure.
    package mutating func shrunk(_ script: SimulationScript, upTo count: Int) -> SimulationScript {
        var script = script
        let start = SimulationScript(script.setting, Array(script.steps.prefix(count)))
        if self.fails(start) { script = start }
        while true {
            let before = script
            self.leaveOutSteps(of: &script)
            self.leaveOutSettings(of: &script)
            self.simplifySteps(of: &script)
            self.leaveOutDevices(of: &script)
            if script == before, !self.beginWithRecords(in: &script), !self.moveSteps(of: &script) { return script }
        }
    }

    /// Removes chunks of steps, then smaller chunks, down to single steps.
    private func leaveOutSteps(of script: inout SimulationScript) {
        var size = max(script.steps.count / 2, 1)
        while true {
            var end = script.steps.count
            while end > 0 {
                let start = max(end - size, 0)
                var shorter = script
                shorter.steps.removeSubrange(start..<end)
                if self.fails(shorter) { script = shorter }
                end = start
            }
            if size == 1 { return }
            size = max(size / 2, 1)
        }
    }

    private func leaveOutSettings(of script: inout SimulationScript) {
        let usual = SimulationSetting()
        let changes: [(inout SimulationSetting) -> Void] =
            SimulationSetting.Field.allCases.map { field in { $0.rules[field] = nil } } + [
                { $0.records = usual.records }, { $0.records = max($0.records - 1, 0) },
                { $0.pageSize = usual.pageSize }, { $0.batchSize = usual.batchSize }, { $0.rounds = usual.rounds },
                { $0.poisonFailures = usual.poisonFailures }, { $0.unansweredPosts = usual.unansweredPosts },
                { $0.bodyBytes = usual.bodyBytes }, { $0.answerBytes = usual.answerBytes },
                { $0.traceLimit = usual.traceLimit }, { $0.replacedFor = usual.replacedFor },
                { $0.mergesBefore = usual.mergesBefore },
                { $0.strictDeletions = usual.strictDeletions }, { $0.references = usual.references },
                { $0.pageBytes = usual.pageBytes }, { $0.resultBytes = usual.resultBytes },
                { $0.rememberedBytes = usual.rememberedBytes }, { $0.knownRows = usual.knownRows },
                { $0.loop = usual.loop },
                { $0.tactic = usual.tactic }, { $0.editDelete = usual.editDelete },
                { $0.deleteEdit = usual.deleteEdit }, { $0.rollbackPolicy = usual.rollbackPolicy },
                { $0.refused = usual.refused }, { $0.devices = max($0.devices - 1, 1) }, { $0.seed = usual.seed },
            ]
        let loop = SimulationSetting.Loop.numbers.map { _, path -> (inout SimulationSetting) -> Void in
            { $0.loop[keyPath: path] = usual.loop[keyPath: path] }
        }
        for change in changes + loop {
            var simpler = script
            change(&simpler.setting)
            if simpler != script, self.fails(simpler) { script = simpler }
        }
    }

    /// Lets fewer devices perform the steps.
    private func leaveOutDevices(of script: inout SimulationScript) {
        for device in (1..<max(script.setting.devices, 2)).reversed() {
            for other in 0..<device {
                var simpler = script
                for index in simpler.steps.indices {
                    guard case .device(device, let act) = simpler.steps[index] else { continue }
                    simpler.steps[index] = .device(other, act)
                }
                guard simpler != script, self.fails(simpler) else { continue }
                script = simpler
                break
            }
        }
    }

    /// Replaces creates by records that exist before the first step.
    ///
    /// - Returns: Whether that removed a step.
    private func beginWithRecords(in script: inout SimulationScript) -> Bool {
        let first = SimulationSetting.pks[0]
        for count in 1...3 where count > script.setting.records {
            for pk in SimulationSetting.pks {
                // Existing records have the first names, so other records may have to be renamed.
                var other = Self.exchanging(first, pk, in: script)
                other.setting.records = count
                guard self.fails(other) else { continue }
                self.leaveOutSteps(of: &other)
                guard other.steps.count < script.steps.count else { continue }
                script = other
                return true
            }
        }
        return false
    }

    /// The script with two names of records exchanged.
    private static func exchanging(_ first: String, _ second: String, in script: SimulationScript) -> SimulationScript {
        var script = script
        script.steps = script.steps.map { step in
            var words = step.text.split(separator: " ")
            for place in words.indices.dropFirst()
            where SimulationSetting.collections.contains(String(words[place - 1])) {
                if words[place] == first {
                    words[place] = second[...]
                } else if words[place] == second {
                    words[place] = first[...]
                }
            }
            return SimulationStep(Substring(words.joined(separator: " "))) ?? step
        }
        return script
    }

    /// Moves single steps of a short script, which may make others unnecessary.
    ///
    /// - Returns: Whether that removed a step.
    private func moveSteps(of script: inout SimulationScript) -> Bool {
        let count = script.steps.count
        guard count <= Self.stepsToMove else { return false }
        for from in 0..<count {
            for to in 0..<count where to != from {
                var moved = script
                moved.steps.insert(moved.steps.remove(at: from), at: to)
                guard self.fails(moved) else { continue }
                self.leaveOutSteps(of: &moved)
                self.leaveOutDevices(of: &moved)
                guard moved.steps.count < count else { continue }
                script = moved
                return true
            }
        }
        return false
    }

    /// The maximum length of a script for ``moveSteps(of:)``; more orders would take too long.
    private static let stepsToMove = 30

    /// Replaces a fault of a message by a complete delivery, single requests by a whole sync, and a transaction by one that ends.
    private func simplifySteps(of script: inout SimulationScript) {
        for index in script.steps.indices {
            guard case .device(let device, let act) = script.steps[index] else { continue }
            let simpler: SimulationStep.DeviceAct? =
                switch act {
                case .begin(let collection), .persist(let collection): .sync(collection)
                case .carry(let number, let fate) where fate != .whole: .carry(number, .whole)
                case .crash: .restart
                case .hand(.tool): .hand(.guest)
                case .transact(let place, let other, let word, let course) where course != .ends:
                    .transact(place, deleting: other, word: word, .ends)
                case _: nil
                }
            guard let simpler else { continue }
            var other = script
            other.steps[index] = .device(device, simpler)
            if self.fails(other) { script = other }
        }
    }
}
