// The phrases of runs about messages: lost, late, refused, unread, or malformed.

extension SimulationTheme {
    static var orderPhrases: [(weight: Int, draw: Phrase)] {
        Self.everyday + Self.traffic + [
            (3, { [$0.anyone(.carry(0, $0.pick([.lost, .answerLost, .late, .status(503)])))] }),
            (1, { [$0.anyone(.delete($0.place()))] }),
            (1, { [$0.anyone(.restart)] }),
            (1, { [$0.anyone(.persist(Self.notes))] }),
            // The server fails for a time while many edits wait, and then accepts all.
            (
                1,
                { draw in
                    let device = draw.chance(draw.setting.devices)
                    return draw.pks.map { .device(device, draw.creating(.init(collection: Self.notes, pk: $0))) } + [
                        .server(.trouble(.unwritable(draw.pick([0, 500, 503])))),
                        .device(device, .persist(Self.notes)), .server(.trouble(.none)),
                        .device(device, .sync(Self.notes)),
                    ]
                }
            ),
        ]
    }

    static var nonsensePhrases: [(weight: Int, draw: Phrase)] {
        Self.everyday + Self.traffic + [
            (2, { [$0.anyone(.carry(0, .busy($0.chance(3))))] }),
            (1, { [.server(.trouble($0.pick([.none, .none, .standstill, .doubledResults, .oddNames])))] }),
            (1, { [.server(.trouble($0.pick([.none, .oddItem($0.place()), .namelessItems])))] }),
            (1, { [$0.anyone(.delete($0.place()))] }),
            (1, { [$0.anyone(.persist(Self.notes))] }),
            (1, { [$0.pick([.server(.backup), .server(.restore)])] }),
            // A record comes without its data, is quarantined, and is then changed on the device; more malformed items may follow.
            (
                3,
                { draw in
                    let ((device, writer), odd, other) = (draw.two(), draw.place(), draw.place())
                    return [
                        .server(.trouble(.none)), .device(device, .sync(Self.notes)),
                        .device(writer, .sync(Self.notes)),
                        .device(writer, draw.typing(odd)), .server(.trouble(.oddItem(odd))),
                        .device(writer, .sync(Self.notes)), .device(device, .persist(Self.notes)),
                        .device(writer, draw.creating(other)), .device(writer, .sync(Self.notes)),
                        .server(.trouble(draw.pick([.none, .namelessItems, .namelessItems]))),
                        .device(device, draw.typing(odd)), .device(device, .sync(Self.notes)),
                        .device(device, .persist(Self.notes)),
                    ]
                }
            ),
            // A repeated answer is older than the version that the feed shows without its data.
            (
                2,
                { draw in
                    let ((device, writer), odd) = (draw.two(), draw.place())
                    return [
                        .server(.trouble(.none)), .device(device, .sync(Self.notes)),
                        .device(writer, .sync(Self.notes)),
                        .device(device, draw.typing(odd)), .device(device, .begin(Self.notes)),
                        .device(device, .carry(0, .answerLost)), .device(writer, draw.typing(odd)),
                        .device(writer, .sync(Self.notes)), .server(.trouble(.oddItem(odd))),
                        .device(device, .persist(Self.notes)),
                    ]
                }
            ),
            // A malformed item comes for the third time, beyond the cursor; then the server is rolled back.
            (
                2,
                { draw in
                    let ((device, writer), odd, given) = (draw.two(), draw.place(), draw.place())
                    return [
                        .server(.trouble(.none)), .device(device, .sync(Self.notes)),
                        .device(writer, .sync(Self.notes)), .server(.backup), .server(.trouble(.oddItem(odd))),
                        .device(writer, draw.typing(odd)), .device(writer, .sync(Self.notes)),
                        .device(device, .sync(Self.notes)), .device(device, .sync(Self.notes)),
                        .device(device, draw.typing(given)), .device(device, .begin(Self.notes)),
                        .device(device, .resign(given)), .device(device, .carry(0, .whole)),
                        .server(.trouble(.none)), .server(.restore), .device(device, .sync(Self.notes)),
                    ]
                }
            ),
            // An answer has a result and a malformed item; then the server is rolled back, and other devices write.
            (
                3,
                { draw in
                    let ((device, writer), odd, made) = (draw.two(), draw.place(), draw.place())
                    return [
                        .server(.trouble(.none)), .device(device, .sync(Self.notes)), .server(.backup),
                        .device(writer, draw.creating(odd)), .device(writer, draw.typing(odd)),
                        .device(writer, .sync(Self.notes)), .server(.trouble(.oddItem(odd))),
                        .device(device, draw.pick([draw.creating(made), draw.typing(made)])),
                        .device(device, .sync(Self.notes)), .server(.restore), .device(writer, draw.creating(made)),
                        .device(writer, .sync(Self.notes)), .device(device, .sync(Self.notes)),
                    ]
                }
            ),
        ]
    }

    static var refusedPhrases: [(weight: Int, draw: Phrase)] {
        let phrases: [(weight: Int, draw: Phrase)] = [
            (4, { [$0.anyone(.carry(0, .refuse($0.chance(3))))] }),
            (2, { [$0.anyone(.carry(0, $0.pick([.status(403), .status(413), .answerLost, .late])))] }),
            (2, { [$0.anyone(.resign($0.place()))] }),
            (2, { [$0.anyone(.release($0.place()))] }),
            (1, { [$0.anyone(.delete($0.place()))] }),
            (2, { [$0.anyone(.wake(Self.notes))] }),
            (1, { [$0.anyone(.persist(Self.notes))] }),
            (1, { [.server(.trouble($0.refusing()))] }),
        ]
        return Self.everyday + Self.traffic + phrases
    }

    static var counterPhrases: [(weight: Int, draw: Phrase)] {
        let phrases: [(weight: Int, draw: Phrase)] = [
            (8, { [$0.anyone(.add($0.place(), $0.pick([1, 1, 20])))] }),
            (6, { [$0.anyone(.sync(Self.counts))] }),
            (3, { [$0.anyone(.begin(Self.counts))] }),
            (5, { [$0.anyone(.carry(0, .whole))] }),
            (5, { [$0.anyone(.carry(0, $0.mishap()))] }),
            (2, { [$0.anyone(.wake(Self.counts))] }),
            (1, { [$0.anyone(.account(isOther: $0.one(in: 2)))] }),
            (2, { [$0.anyone(.renew(Self.counts))] }),
            (1, { [$0.anyone(.release($0.place()))] }),
            (1, { [$0.anyone(.restart)] }),
            (1, { [.answer($0.chance(3), $0.pick(SimulationStep.AnswerFate.allCases))] }),
            (1, { [.late($0.chance(3))] }),
        ]
        return phrases + [
            (1, { $0.doubting(with: [.wake(Self.counts)] + Self.tries(Self.counts, .status(403))) }),
            (1, { $0.doubting(with: [.account(isOther: true)] + Self.tries(Self.counts, .whole)) }),
        ]
    }

    private static let counts = SimulationSetting.counts

    /// The same message fault for three tries.
    private static func tries(
        _ collection: String, _ fate: SimulationStep.RequestFate
    ) -> [SimulationStep.DeviceAct] {
        (0..<3).flatMap { _ in [.begin(collection), .carry(0, fate)] }
    }
}

extension SimulationDraw {
    /// All POSTs are refused, or those of one record, or none any more.
    fileprivate mutating func refusing() -> SimulationStep.Trouble {
        let status = self.pick([0, 403, 403, 500, 503])
        return self.pick([.none, .none, .unwritable(status), .poison(self.place(), status)])
    }

    /// An addition whose answer is lost, followed by other acts. Two devices may add more meanwhile.
    fileprivate mutating func doubting(with acts: [SimulationStep.DeviceAct]) -> [SimulationStep] {
        let ((device, other), place) = (self.two(), self.place())
        let before: [SimulationStep.DeviceAct] = [
            .sync(place.collection), .add(place, 1), .begin(place.collection), .carry(0, .answerLost),
        ]
        let meanwhile: [SimulationStep] = [
            .device(device, .add(place, 1)), .device(other, .add(place, 1)), .device(other, .sync(place.collection)),
        ]
        return before.map { .device(device, $0) } + (self.one(in: 2) ? meanwhile : [])
            + acts.map { .device(device, $0) }
    }

    /// A message fault after which a device does not know the outcome of its change.
    fileprivate mutating func mishap() -> SimulationStep.RequestFate {
        self.pick([
            .answerLost, .answerLost, .lost, .late, .twice, .slow, .status(401), .status(403), .status(413),
            .status(503), .statusAfter(502), .cut(self.chance(600)),
        ])
    }
}
