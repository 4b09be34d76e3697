// The phrases of themed runs. Each phrase is a usual sequence of acts of users and devices, and some lead directly to known
// faults.

extension SimulationTheme {
    static let notes = "notes"

    /// Writes and syncs.
    static var everyday: [(weight: Int, draw: Phrase)] {
        [
            (4, { [$0.anyone($0.creating($0.place()))] }),
            (4, { [$0.anyone($0.typing($0.place()))] }),
            (6, { [$0.anyone(.sync(Self.notes))] }),
        ]
    }

    /// The faults of messages in flight.
    static var traffic: [(weight: Int, draw: Phrase)] {
        [
            (2, { [$0.anyone(.begin(Self.notes))] }),
            (4, { [$0.anyone(.carry(0, .whole))] }),
        ]
    }

    // MARK: Fields

    static var fieldPhrases: [(weight: Int, draw: Phrase)] {
        [
            (10, { $0.meeting() }),
            (2, { [$0.anyone($0.creating($0.place()))] }),
            // Starts again with a short record.
            (1, { [$0.anyone(.delete($0.place()))] }),
            (3, { [$0.anyone($0.editing(fieldOf: $0.place(), $0.anyField()))] }),
            (3, { [$0.anyone(.sync(Self.notes))] }),
            // A form is saved after another device has changed the record.
            (
                3,
                { draw in
                    let ((device, other), place) = (draw.two(), draw.place())
                    return [
                        .device(device, .draft(place)), .device(other, draw.typing(place)),
                        .device(other, .sync(Self.notes)), .device(device, .sync(Self.notes)),
                        .device(device, .save(place, field: draw.pick(["/title", "/x"]), word: draw.word())),
                    ]
                }
            ),
            (1, { [$0.anyone(.resolve(Self.notes, 0, $0.choice()))] }),
            // Another device is faster before each try of an edit.
            (
                2,
                { draw in
                    let ((device, other), place) = (draw.two(), draw.place())
                    let tries = (0..<4).flatMap { _ -> [SimulationStep] in
                        [
                            .device(other, draw.typing(place)), .device(other, .sync(Self.notes)),
                            .device(device, .carry(0, .whole)),
                        ]
                    }
                    return [
                        .device(device, .sync(Self.notes)), .device(other, .sync(Self.notes)),
                        .device(device, draw.typing(place)), .device(device, .begin(Self.notes)),
                    ] + tries
                }
            ),
        ]
    }

    // MARK: Limits

    static var resultPhrases: [(weight: Int, draw: Phrase)] {
        Self.everyday + Self.traffic + [
            (4, { [$0.anyone(.append($0.place(), field: "/tags", word: $0.word()))] }),
            (3, { [$0.anyone(.delete($0.place()))] }),
            (3, { [$0.anyone(.carry(0, .answerLost))] }),
            // Many records at once, some of them large.
            (
                3,
                { draw in
                    let device = draw.chance(draw.setting.devices)
                    return (0..<5).map { _ in
                        let place = draw.place()
                        return .device(device, draw.pick([draw.typing(place), draw.creating(place), .delete(place)]))
                    } + [.device(device, .sync(Self.notes))]
                }
            ),
            // An answer is lost, and its row is overwritten before the answer is repeated.
            (
                3,
                { draw in
                    let ((device, other), place) = (draw.two(), draw.place())
                    return [
                        .device(device, draw.typing(place)), .device(device, .begin(Self.notes)),
                        .device(device, .carry(0, .answerLost)), .device(other, .sync(Self.notes)),
                        .device(other, draw.typing(place)), .device(other, .sync(Self.notes)),
                        .device(device, .sync(Self.notes)),
                    ]
                }
            ),
        ]
    }

    static var tracePhrases: [(weight: Int, draw: Phrase)] {
        Self.everyday + Self.traffic + [
            (2, { [$0.anyone(.delete($0.place()))] }),
            (1, { [$0.anyone(.restart)] }),
            (1, { [$0.anyone(.fail($0.chance(9)))] }),
        ]
    }

    // MARK: Refusals

    static var heldPhrases: [(weight: Int, draw: Phrase)] {
        Self.everyday + Self.traffic + [
            (3, { [$0.anyone(.carry(0, .refuse($0.chance(3))))] }),
            (3, { [$0.anyone(.delete($0.place()))] }),
            (1, { [$0.anyone(.release($0.place()))] }),
            // A record is created twice, and one of the creates is discarded while its outcome is unknown.
            (
                2,
                { draw in
                    let (device, other, made) = (draw.chance(draw.setting.devices), draw.place(), draw.place())
                    return [
                        .device(device, draw.creating(made)), .device(device, .sync(Self.notes)),
                        .device(device, .delete(made)), .device(device, .sync(Self.notes)),
                        .device(device, draw.creating(other)), .device(device, draw.creating(made)),
                        .device(device, .begin(Self.notes)), .device(device, .carry(0, .answerLost)),
                        .device(device, .resign(draw.pick([made, made, other]))),
                        .device(device, .sync(Self.notes)),
                    ]
                }
            ),
            // The server forgets the answer to a create that was lost, refuses the cursor of its device, and then the create is discarded.
            // Most of these records have had one device only.
            (
                1,
                { draw in
                    let ((device, other), gone) = (draw.two(), draw.place())
                    let made = SimulationStep.Place(collection: Self.notes, pk: draw.pick(SimulationSetting.pks))
                    return [
                        .device(other, draw.creating(gone)), .device(other, .sync(Self.notes)),
                        .device(device, .sync(Self.notes)),
                        .device(device, draw.creating(made)), .device(device, .begin(Self.notes)),
                        .device(device, .carry(0, .answerLost)),
                        .device(other, .delete(gone)), .device(other, .sync(Self.notes)),
                        .server(.purge(days: 100)), .device(device, .begin(Self.notes)),
                        .device(device, .carry(0, .whole)), .device(device, .resign(made)),
                        .device(device, .sync(Self.notes)),
                    ]
                }
            ),
            // A record that is held on a device is created and deleted on another one.
            (
                3,
                { draw in
                    let ((device, other), place) = (draw.two(), draw.place())
                    return [
                        .device(device, draw.creating(place)), .device(device, .begin(Self.notes)),
                        .device(device, .carry(0, .refuse(0))), .device(other, draw.creating(place)),
                        .device(other, .sync(Self.notes)), .device(other, .delete(place)),
                        .device(other, .sync(Self.notes)), .device(device, .sync(Self.notes)),
                    ]
                }
            ),
        ]
    }

    static var gonePhrases: [(weight: Int, draw: Phrase)] {
        Self.everyday + Self.traffic + [
            (6, { [$0.anyone(.delete($0.place()))] }),
            // Two devices delete the same record, and one of them has an older version.
            (
                3,
                { draw in
                    let ((device, other), place) = (draw.two(), draw.place())
                    return [
                        .device(other, .delete(place)), .device(other, .sync(Self.notes)),
                        .device(device, .delete(place)), .device(device, .sync(Self.notes)),
                    ]
                }
            ),
        ]
    }
}

extension SimulationDraw {
    fileprivate mutating func anyField() -> SimulationSetting.Field {
        self.pick([.title, .x, .a, .b, .text, .text, .tags, .tags, .list, .items, .items, .n])
    }

    /// Two devices have the same version, change the same field, and sync.
    fileprivate mutating func meeting() -> [SimulationStep] {
        let ((device, other), place, field) = (self.two(), self.place(), self.anyField())
        let before = (0..<self.chance(3)).map { _ in SimulationStep.device(device, self.editing(fieldOf: place, field))
        }
        let sync = SimulationStep.DeviceAct.sync(place.collection)
        return before + [
            .device(device, sync), .device(other, sync), .device(device, self.editing(fieldOf: place, field)),
            .device(other, self.editing(fieldOf: place, field)), .device(device, sync), .device(other, sync),
        ]
    }

    /// An edit of a field, of the kind that its rule is for.
    fileprivate mutating func editing(
        fieldOf place: SimulationStep.Place, _ field: SimulationSetting.Field
    ) -> SimulationStep.DeviceAct {
        switch field {
        case .title, .x, .a, .b: self.editing(place, valueOf: field.pointer)
        case .n: .add(place, self.pick([1, 1, 20]))
        case .text:
            self.one(in: 3) ? self.editing(place, valueOf: field.pointer) : self.editing(place, partOf: field.pointer)
        case .tags, .list: self.editing(place, partOf: field.pointer)
        case .items:
            self.one(in: 2)
                ? .put(place, field: field.pointer, key: self.chance(4), word: self.word())
                : self.rearranging(place, field.pointer)
        }
    }

    private mutating func editing(
        _ place: SimulationStep.Place, valueOf field: String
    ) -> SimulationStep.DeviceAct {
        self.one(in: 6) ? .clear(place, field: field) : .type(place, field: field, word: self.word())
    }

    private mutating func editing(_ place: SimulationStep.Place, partOf field: String) -> SimulationStep.DeviceAct {
        switch self.chance(5) {
        case 0: self.rearranging(place, field)
        case 1: .drop(place, field: field, index: self.chance(4))
        case 2, 3: .insert(place, field: field, index: self.chance(4), word: self.word())
        default: .append(place, field: field, word: self.word())
        }
    }

    private mutating func rearranging(_ place: SimulationStep.Place, _ field: String) -> SimulationStep.DeviceAct {
        self.one(in: 4)
            ? .drop(place, field: field, index: self.chance(4))
            : .move(place, field: field, index: self.chance(4), to: self.chance(4))
    }
}
