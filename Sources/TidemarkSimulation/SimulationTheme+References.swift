import TidemarkTesting

// The phrases of runs in which records name others (Contract §11).

extension SimulationTheme {
    static var referencePhrases: [(weight: Int, draw: Phrase)] {
        [
            (4, { [$0.anyone($0.creating($0.place()))] }),
            (3, { [$0.anyone($0.typing($0.place()))] }),
            (6, { [$0.anyone($0.pointing($0.place()))] }),
            (2, { [$0.anyone(.clear($0.place(), field: SimulationSetting.reference))] }),
            (4, { [$0.anyone(.delete($0.place()))] }),
            (8, { [$0.anyone(.sync($0.pick($0.collections)))] }),
            (4, { [$0.anyone(.begin($0.pick($0.collections)))] }),
            (6, { [$0.anyone(.carry($0.chance(3), $0.fate()))] }),
            (1, { [$0.anyone(.release($0.place()))] }),
            (1, { [$0.anyone(.resign($0.place()))] }),
            (1, { [$0.anyone(.resolve($0.pick($0.collections), $0.chance(3), $0.choice()))] }),
            (1, { [$0.anyone($0.pick([.restart, .crash($0.chance(6)), .fail($0.chance(6)), .copy]))] }),
            (1, { [$0.anyone(.restore($0.pick($0.collections), $0.chance(20)))] }),
            (1, { [$0.anyone($0.pick([.undo, .redo, .amend($0.place(), field: "/title", word: $0.word())]))] }),
            (1, { [$0.anyone($0.pick([.run, .run, .stop]))] }),
            (3, { [$0.anyone(.later($0.span()))] }),
            (
                1,
                { [.server(.trouble($0.pick([.none, .none, .poison($0.place(), $0.pick([0, 500])), .contention])))] }
            ),
            (1, { [.server($0.pick([.backup, .backup, .restart, .restore]))] }),
            // A family is created, children first, and sent in any order.
            (
                6,
                { draw in
                    let device = draw.chance(draw.setting.devices)
                    let family = draw.family()
                    return (draw.one(in: 2) ? family.reversed() : family).map { .device(device, draw.creating($0)) }
                        + zip(family.dropFirst(), family).map { .device(device, .point($0, to: $1)) }
                        + draw.syncing(device)
                }
            ),
            // A family is deleted, parents first.
            (
                5,
                { draw in
                    let device = draw.chance(draw.setting.devices)
                    return draw.family().map { .device(device, .delete($0)) } + draw.syncing(device)
                }
            ),
            // A child moves to another parent, and the former one is deleted.
            (
                4,
                { draw in
                    let (device, child) = (draw.chance(draw.setting.devices), draw.place())
                    let (former, next) = (draw.anyNote(), draw.anyNote())
                    return [
                        .device(device, .point(child, to: former)), .device(device, .sync(child.collection)),
                        .device(device, draw.creating(next)), .device(device, .point(child, to: next)),
                        .device(device, .delete(former)),
                    ] + draw.syncing(device)
                }
            ),
            // The parent is refused, or its answer is lost.
            (
                5,
                { draw in
                    let (device, family) = (draw.chance(draw.setting.devices), draw.family())
                    let fate =
                        draw.pick([.refuse(0), .refuse(1), .answerLost, .lost, .status(500), .status(413)])
                        as SimulationStep.RequestFate
                    return family.map { .device(device, draw.creating($0)) }
                        + zip(family.dropFirst(), family).map { .device(device, .point($0, to: $1)) }
                        + [
                            .device(device, .begin("notes")), .device(device, .carry(0, fate)),
                            .device(device, draw.pick([.carry(0, .whole), .delete(family[0]), .restart])),
                        ] + draw.syncing(device)
                }
            ),
            // Another device deletes the parent meanwhile.
            (
                3,
                { draw in
                    let ((device, other), parent) = (draw.two(), draw.anyNote())
                    let child = draw.place()
                    return [
                        .device(device, draw.creating(parent)), .device(device, .sync("notes")),
                        .device(other, .sync("notes")), .device(device, draw.creating(child)),
                        .device(device, .point(child, to: parent)), .device(other, .delete(parent)),
                        .device(other, .sync("notes")),
                    ] + draw.syncing(device)
                }
            ),
            // A child takes back the removal of its name while that is on its way, and the parent is deleted.
            (
                3,
                { draw in
                    let (device, child, parent) = (draw.chance(draw.setting.devices), draw.place(), draw.anyNote())
                    return [
                        .device(device, .point(child, to: parent)), .device(device, .begin(child.collection)),
                        .device(device, .clear(child, field: SimulationSetting.reference)),
                        .device(device, .delete(parent)), .device(device, .begin("notes")),
                        .device(device, .carry(draw.chance(2), draw.pick([.whole, .slow, .answerLost]))),
                        .device(device, .carry(0, .whole)), .device(device, .carry(0, .whole)),
                    ]
                }
            ),
        ]
    }
}

extension SimulationDraw {
    fileprivate mutating func anyNote() -> SimulationStep.Place {
        SimulationStep.Place(collection: "notes", pk: self.pick(self.pks))
    }

    fileprivate mutating func pointing(_ place: SimulationStep.Place) -> SimulationStep.DeviceAct {
        .point(place, to: self.anyNote())
    }

    /// Notes and perhaps a task, each of which may name the one before.
    fileprivate mutating func family() -> [SimulationStep.Place] {
        let notes = self.pks.prefix(1 + self.chance(self.pks.count)).map {
            SimulationStep.Place(collection: "notes", pk: $0)
        }
        return notes + (self.one(in: 3) ? [] : [.init(collection: "tasks", pk: self.pick(self.pks))])
    }

    /// Syncs of all collections, in any order.
    fileprivate mutating func syncing(_ device: Int) -> [SimulationStep] {
        let syncs = self.collections.map { SimulationStep.device(device, .sync($0)) }
        return self.one(in: 2) ? syncs : syncs.reversed()
    }

    fileprivate mutating func fate() -> SimulationStep.RequestFate {
        self.pick([
            .whole, .whole, .whole, .slow, .twice, .lost, .late, .answerLost, .refuse(self.chance(3)), .status(500),
            .status(413), .statusAfter(500), .busy(self.chance(3)), .cut(self.chance(300)),
        ])
    }
}
