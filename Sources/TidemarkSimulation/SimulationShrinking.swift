/// Makes a script that fails shorter, by leaving out what it fails without (delta debugging).
struct SimulationShrinking {
    private let fails: (SimulationScript) -> Bool

    init(_ fails: @escaping (SimulationScript) -> Bool) {
        self.fails = fails
    }

    /// - Parameter count: How many steps it took to fail.
    mutating func shrunk(_ script: SimulationScript, upTo count: Int) -> SimulationScript {
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

    /// Chunks first, then smaller ones, down to single steps.
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
                { $0.loneFailures = usual.loneFailures }, { $0.silentTries = usual.silentTries },
                { $0.bodyBytes = usual.bodyBytes }, { $0.answerBytes = usual.answerBytes },
                { $0.traceLimit = usual.traceLimit }, { $0.strictDeletions = usual.strictDeletions },
                { $0.pageBytes = usual.pageBytes }, { $0.resultBytes = usual.resultBytes },
                { $0.rememberedBytes = usual.rememberedBytes }, { $0.knownRows = usual.knownRows },
                { $0.loop = usual.loop },
                { $0.tactic = usual.tactic }, { $0.editDelete = usual.editDelete },
                { $0.deleteEdit = usual.deleteEdit }, { $0.wentBack = usual.wentBack },
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

    /// What one device did, another may do as well.
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

    /// What is there before the first step need not be made in steps.
    ///
    /// - Returns: Whether that leaves any out.
    private func beginWithRecords(in script: inout SimulationScript) -> Bool {
        let first = SimulationSetting.pks[0]
        for count in 1...3 where count > script.setting.records {
            for pk in SimulationSetting.pks {
                // Those that are there are called as the first ones are, and others may have to be made.
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

    /// The script with two names of records in each other's place.
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

    /// Of few steps, one at another place may let others be left out.
    ///
    /// - Returns: Whether it did.
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

    /// With more, so many orders take too long.
    private static let stepsToMove = 30

    /// A request that is carried whole, or a whole sync, says less than what it stands for.
    private func simplifySteps(of script: inout SimulationScript) {
        for index in script.steps.indices {
            guard case .device(let device, let act) = script.steps[index] else { continue }
            let simpler: SimulationStep.DeviceAct? =
                switch act {
                case .begin(let collection), .persist(let collection): .sync(collection)
                case .carry(let number, let fate) where fate != .whole: .carry(number, .whole)
                case .crash: .restart
                case _: nil
                }
            guard let simpler else { continue }
            var other = script
            other.steps[index] = .device(device, simpler)
            if self.fails(other) { script = other }
        }
    }
}
