// The phrases of runs about a server that is restored from a backup (W8).

extension SimulationTheme {
    static var shownEarlyPhrases: [(weight: Int, draw: Phrase)] {
        Self.everyday + Self.traffic + [
            (2, { _ in [.server(.backup)] }),
            // A result is not applied, since its edit was discarded, and the other results are beyond the cursor.
            (
                4,
                { draw in
                    let (device, given, other) = (draw.chance(draw.setting.devices), draw.place(), draw.place())
                    return [
                        .device(device, .sync(Self.notes)), .device(device, draw.typing(given)),
                        .device(device, draw.pick([draw.creating(other), draw.typing(other), .delete(other)])),
                        .device(device, .begin(Self.notes)), .device(device, .resign(given)),
                        .device(device, .carry(0, .whole)), .server(.restore),
                        .device(device, .sync(Self.notes)),
                    ]
                }
            ),
            // As above, and another device writes the lost record before the first device detects the loss.
            (
                4,
                { draw in
                    let ((device, writer), given, other) = (draw.two(), draw.place(), draw.place())
                    let before: [SimulationStep] = [
                        .device(device, .sync(Self.notes)), .server(.backup),
                        .device(device, draw.typing(given)), .device(device, draw.creating(other)),
                        .device(device, .begin(Self.notes)), .device(device, .resign(given)),
                        .device(device, .carry(0, .whole)),
                    ]
                    let between = draw.pick([[], [SimulationStep.device(device, .crash(0))]])
                    return before + between + [
                        .server(.restore),
                        .device(writer, draw.creating(other)), .device(writer, .sync(Self.notes)),
                        .device(device, draw.typing(other)),
                        .device(device, .sync(Self.notes)),
                    ]
                }
            ),
            // A record that a result shows as deleted before the feed does is created again, which has to wait, and
            // then deleted again.
            (
                4,
                { draw in
                    let ((device, writer), given, other, third) = (
                        draw.two(), draw.place(), draw.place(), draw.place()
                    )
                    return [
                        .device(device, .sync(Self.notes)),
                        .device(device, draw.typing(given)), .device(device, .delete(other)),
                        .device(device, .begin(Self.notes)), .device(device, .resign(given)),
                        .device(device, .carry(0, .whole)), .device(writer, draw.creating(other)),
                        .device(writer, draw.creating(third)), .device(writer, .sync(Self.notes)),
                        .device(device, .carry(0, .whole)),
                        .device(writer, .delete(other)), .device(writer, .sync(Self.notes)),
                        .device(device, .sync(Self.notes)),
                    ]
                }
            ),
            // The server is rolled back, and its tombstones are purged, so that a full resync is due.
            (
                3,
                { draw in
                    let ((device, writer), given, other, third) = (
                        draw.two(), draw.place(), draw.place(), draw.place()
                    )
                    return [
                        .device(device, .sync(Self.notes)), .device(writer, .sync(Self.notes)), .server(.backup),
                        .device(device, draw.typing(given)), .device(device, draw.creating(other)),
                        .device(device, .begin(Self.notes)), .device(device, .resign(given)),
                        .device(device, .carry(0, .whole)), .server(.restore),
                        .device(writer, .delete(third)), .device(writer, .sync(Self.notes)),
                        .server(.purge(days: 100)), .device(device, .sync(Self.notes)),
                    ]
                }
            ),
            // A result repeats a deletion that the cursor has passed.
            (
                2,
                { draw in
                    let ((device, writer), given, other) = (draw.two(), draw.place(), draw.place())
                    return [
                        .device(writer, draw.creating(other)), .device(writer, .sync(Self.notes)),
                        .device(writer, .delete(other)), .device(writer, .sync(Self.notes)),
                        .device(device, draw.creating(given)), .device(device, .sync(Self.notes)),
                        .device(device, draw.creating(other)), .device(device, draw.typing(given)),
                        .device(device, .begin(Self.notes)), .device(device, .resign(given)),
                        .device(device, .carry(0, .whole)), .device(device, .sync(Self.notes)),
                    ]
                }
            ),
        ]
    }

    static var questionPhrases: [(weight: Int, draw: Phrase)] {
        Self.everyday + [
            (3, { [$0.anyone(.append($0.place(), field: "/text", word: $0.word()))] }),
            (3, { [$0.anyone(.add($0.place(), 1))] }),
            (6, { [$0.anyone(.sync(Self.notes))] }),
            (1, { _ in [.server(.backup)] }),
            (2, { _ in [.server(.restore)] }),
            (1, { [$0.anyone(.resolve(Self.notes, 0, $0.choice()))] }),
            (1, { [$0.anyone(.restart)] }),
            // A conflict is open when a new version of the app starts.
            (
                2,
                { draw in
                    let ((device, other), place) = (draw.two(), draw.place())
                    return [
                        .device(device, draw.creating(place)), .device(device, .sync(Self.notes)),
                        .device(other, .sync(Self.notes)),
                        .device(device, .add(place, 1)), .device(other, .add(place, 1)),
                        .device(device, .sync(Self.notes)), .device(other, .sync(Self.notes)),
                        .device(other, .restart), .device(other, .sync(Self.notes)),
                    ]
                }
            ),
        ]
    }

    static var pagePhrases: [(weight: Int, draw: Phrase)] {
        Self.everyday + Self.traffic + [
            (2, { _ in [.server(.backup)] }),
            (1, { _ in [.server(.restore)] }),
            // The answer to a POST is lost, so the device reads its own writes as rows of the feed, and they fill many
            // pages.
            (
                2,
                { draw in
                    let device = draw.chance(draw.setting.devices)
                    let edits = SimulationSetting.pks.flatMap { pk in
                        let place = SimulationStep.Place(collection: Self.notes, pk: pk)
                        return [draw.creating(place), draw.typing(place)].map { SimulationStep.device(device, $0) }
                    }
                    return [.device(device, .sync(Self.notes))] + edits + [
                        .device(device, .begin(Self.notes)), .device(device, .carry(0, .answerLost)),
                        .device(device, .sync(Self.notes)),
                    ]
                }
            ),
            // A restored server has a row before the cursor of a device that has not read it.
            (
                4,
                { draw in
                    let ((writer, reader), moved, other) = (draw.two(), draw.place(), draw.place())
                    return [
                        .device(reader, .sync(Self.notes)), .device(writer, .sync(Self.notes)),
                        .device(writer, draw.creating(moved)), .device(writer, .sync(Self.notes)),
                        .device(writer, draw.creating(other)), .device(writer, draw.typing(other)),
                        .device(writer, .sync(Self.notes)), .server(.backup), .device(writer, draw.typing(moved)),
                        .device(writer, .sync(Self.notes)), .device(reader, .begin(Self.notes)),
                        .device(reader, .carry(0, .whole)), .server(.restore), .device(reader, .carry(0, .whole)),
                    ]
                }
            ),
        ]
    }
}
