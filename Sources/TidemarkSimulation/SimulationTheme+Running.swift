// The phrases of runs with run loops: time passes, and the run loop decides when to sync (Contract §10).

extension SimulationTheme {
    static var runningPhrases: [(weight: Int, draw: Phrase)] {
        [
            (4, { [$0.anyone($0.creating($0.place()))] }),
            (6, { [$0.anyone($0.typing($0.place()))] }),
            (6, { [$0.anyone(.later($0.span()))] }),
            (2, { [$0.anyone(.sync(Self.notes))] }),
            (1, { [$0.anyone($0.pick([.run, .run, .stop, .restart, .crash($0.chance(4))]))] }),
            (2, { [$0.anyone(.hear($0.pick(SimulationStep.HintFate.allCases)))] }),
            (1, { [$0.anyone(.renew(Self.notes))] }),
            (1, { [$0.anyone(.clock($0.pick([-60, 1, 60, 4_000])))] }),
            (1, { _ in [.server(.restart)] }),
            (1, { [.server(.trouble($0.pick([.none, .none, .contention, .unwritable(503), .unwritable(0)])))] }),
            // The user types without a pause.
            (
                3,
                { draw in
                    let (device, place) = (draw.chance(draw.setting.devices), draw.place())
                    let span = draw.pick([100, 300, 450])
                    let typing = (0..<6).flatMap { _ -> [SimulationStep] in
                        [.device(device, draw.typing(place)), .device(device, .later(span))]
                    }
                    return [.device(device, draw.creating(place)), .device(device, .later(6_000))] + typing
                }
            ),
            // An event comes during the loop's sync.
            (
                6,
                { draw in
                    let (device, place) = (draw.chance(draw.setting.devices), draw.place())
                    let meanwhile: [SimulationStep.DeviceAct] = [
                        draw.typing(place), draw.creating(place), .renew(Self.notes), .hear(.whole), .clock(1),
                        .offline,
                    ]
                    let fate: SimulationStep.RequestFate = draw.pick([
                        .whole, .whole, .status(401), .status(503), .status(503), .lost, .answerLost, .html,
                    ])
                    return [
                        .device(device, draw.typing(place)), .device(device, draw.creating(place)),
                        .device(device, .clock(draw.pick([1, 6]))), .device(device, draw.pick(meanwhile)),
                        .device(device, .carry(0, fate)), .device(device, draw.pick(meanwhile)),
                        .device(device, .later(draw.pick([1, 100, 400, 1_100, 6_000]))),
                        .device(device, .online), .device(device, .later(draw.span())),
                    ]
                }
            ),
            // The network is offline for a time, and another device writes.
            (
                2,
                { draw in
                    let ((device, other), place) = (draw.two(), draw.place())
                    return [
                        .device(device, .offline), .device(other, draw.typing(place)),
                        .device(other, .sync(Self.notes)),
                        .device(device, draw.typing(draw.place())), .device(device, .later(draw.span())),
                        .device(device, .online), .device(device, .later(draw.pick([1, 600]))),
                    ]
                }
            ),
            // Another device writes repeatedly, and each write is notified.
            (
                3,
                { draw in
                    let ((device, other), place) = (draw.two(), draw.place())
                    let writing = (0..<5).flatMap { _ -> [SimulationStep] in
                        [
                            .device(other, draw.creating(place)), .device(other, draw.typing(place)),
                            .device(other, .sync(Self.notes)),
                            .device(device, .later(draw.pick([1, 100, 1_000]))),
                        ]
                    }
                    return writing + [
                        .device(device, draw.typing(draw.place())), .device(device, .later(6_000)),
                    ]
                }
            ),
        ]
    }

    static var roomPhrases: [(weight: Int, draw: Phrase)] {
        Self.everyday + Self.traffic + [
            (3, { [.server($0.room())] }),
            (3, { [$0.anyone(.append($0.place(), field: "/tags", word: $0.word()))] }),
            (3, { [$0.anyone(.delete($0.place()))] }),
            (3, { [$0.anyone(.release($0.place()))] }),
            // Many creates at once need room, and the quota has room for some.
            (
                3,
                { draw in
                    let device = draw.chance(draw.setting.devices)
                    return draw.pks.map { .device(device, draw.creating(.init(collection: Self.notes, pk: $0))) } + [
                        .server(draw.room()), .device(device, .sync(Self.notes)),
                    ]
                }
            ),
        ]
    }
}
