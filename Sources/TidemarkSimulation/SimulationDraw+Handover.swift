import TidemarkCore

// Clients that use one store in turns. Their steps are drawn with a separate generator after all others, so that a run has the same
// other steps with and without them.

extension SimulationDraw {
    /// Whether the store of a device changes hands in the run of a seed: in one of four, but not in those whose transcripts are kept
    /// (`scripts/transcript`).
    static func isHandedOver(_ seed: UInt64) -> Bool {
        var generator = SeededGenerator(seed: seed ^ Self.mask)
        return seed > Self.lastOfTranscripts && generator.next().isMultiple(of: 4)
    }

    private static let lastOfTranscripts: UInt64 = 2_000
    private static let mask: UInt64 = 0x6F77_6E65_7220_6564

    /// Adds changes of hands to a script, and removes as many of its last steps.
    mutating func addHandovers(to script: inout SimulationScript) {
        self.generator = SeededGenerator(seed: self.setting.seed ^ Self.mask)
        if self.collections.isEmpty { self.collections = Array(SimulationSetting.collections.prefix(1)) }
        let pace = self.pick([4, 10, 30])
        var steps: [SimulationStep] = []
        for step in script.steps {
            if self.one(in: pace) { steps += self.draw(Self.handovers)(&self) }
            steps.append(step)
        }
        script.steps = Array(steps.prefix(script.steps.count))
    }

    private static var handovers: [(weight: Int, draw: SimulationTheme.Phrase)] {
        [
            (6, { [$0.anyone(.hand($0.pick(SimulationStep.Client.allCases)))] }),
            (2, { [$0.anyone(.hand(.owner))] }),
            // The answer to a request arrives after the same client has another engine, which awaits one, too.
            (
                2,
                { draw in
                    let (device, collection) = (draw.chance(draw.setting.devices), draw.pick(draw.collections))
                    let acts: [SimulationStep.DeviceAct] = [
                        .begin(collection), .hand(draw.pick(SimulationStep.Client.allCases)), .hand(.owner),
                        .begin(collection),
                    ]
                    return acts.map { .device(device, $0) } + [.late(draw.chance(3))]
                }
            ),
            (
                1,
                { draw in
                    let (device, collection) = (draw.chance(draw.setting.devices), draw.pick(draw.collections))
                    let acts: [SimulationStep.DeviceAct] = [
                        .begin(collection), .carry(0, .slow), .hand(.owner), .begin(collection),
                    ]
                    return acts.map { .device(device, $0) } + [.answer(draw.chance(3), .hear)]
                }
            ),
            // A guest meets a conflict, the user edits its record, and the owner syncs.
            (
                3,
                { draw in
                    guard draw.collections != [SimulationSetting.counts] else { return [] }
                    let ((device, other), place) = (draw.two(), draw.place())
                    let guest = draw.pick([SimulationStep.Client.guest, .tool])
                    let acts: [SimulationStep.DeviceAct] = [
                        draw.typing(place), .hand(guest), .sync(place.collection), draw.meeting(place),
                        .hand(draw.pick(SimulationStep.Client.allCases)), draw.meeting(place), .hand(.owner),
                        .sync(place.collection),
                    ]
                    return [.device(other, draw.meeting(place)), .device(other, .sync(place.collection))]
                        + acts.map { .device(device, $0) }
                }
            ),
        ]
    }

    /// A change of a record that may be in conflict, or a decision about it.
    private mutating func meeting(_ place: SimulationStep.Place) -> SimulationStep.DeviceAct {
        switch self.chance(8) {
        case 0: .delete(place)
        case 1: .resign(place)
        case 2: .resolve(place.collection, 0, self.choice())
        case 3: .save(place, field: "/title", word: self.word())
        case 4: .clear(place, field: "/title")
        default: self.typing(place)
        }
    }
}
