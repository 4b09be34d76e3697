import TidemarkCore
import TidemarkRules
import TidemarkTesting

/// A run in which one message of a phone is lost, and the same run without the loss (I9).
///
/// Both devices act and sync. The phone edits and begins a sync. One of its requests, or the answer, is lost. Then the tablet
/// acts and syncs. In the end, after all have synced, the server has the same rows as in a run in which the answer arrived. If
/// the server did not accept an edit, the tablet's act may count as the earlier one, as in the run in which the request was
/// lost.
package struct LostMessage: Sendable {
    /// The delivery of the message.
    package enum Course: CaseIterable, Hashable, Sendable {
        /// The answer arrives, and the phone's next request follows after the tablet's act.
        case answered

        /// The answer arrives, and the phone's sync ends before the tablet acts.
        case finished

        /// The request arrives, and the answer is lost.
        case answerLost

        /// The request is lost.
        case requestLost
    }

    /// The rows of the server in the end, and the effect of the request at its arrival.
    package struct End: Hashable, Sendable {
        /// The text of each row, by its place.
        package var rows: [String: String] = [:]

        /// The places that the request changed.
        package var taken: Set<String> = []
    }

    private static let collection = "notes"
    private let setting: SimulationSetting
    private let before: [SimulationStep]
    private let meanwhile: [SimulationStep]

    /// How many requests of the phone's last sync arrive before the lost one.
    private let number: Int

    /// Draws a run; the same seed draws the same run.
    package init(seed: UInt64) {
        var draw = SimulationDraw(seed: seed)
        draw.collections = [Self.collection]
        draw.pks = draw.pick([["a"], ["a", "b"], ["a", "b", "c"]])
        draw.setting.records = draw.pick([1, 3])
        draw.setting.pageSize = draw.pick([1, 2, draw.setting.pageSize])
        draw.setting.batchSize = draw.pick([1, 2, draw.setting.batchSize])
        draw.setting.rememberedBytes = draw.pick([1, 150, 300, draw.setting.rememberedBytes])
        draw.setting.editDelete = draw.pick([.editWins, .editWins, .deleteWins])
        if draw.one(in: 2) { draw.setting.rules = [.n: .sum, .text: .text] }
        self.setting = draw.setting
        var before: [SimulationStep] = [.device(1, .sync(Self.collection))]
        for _ in 0..<draw.chance(6) { before.append(draw.act(by: draw.chance(2))) }
        for device in [0, 1] where draw.one(in: 2) { before.append(.device(device, .sync(Self.collection))) }
        for _ in 0...draw.chance(3) { before.append(draw.act(by: 0)) }
        self.before = before + [.device(0, .begin(Self.collection))]
        self.number = draw.pick([0, 0, 0, 1, 2])
        var meanwhile: [SimulationStep] = draw.one(in: 2) ? [.device(1, .sync(Self.collection))] : []
        for _ in 0...draw.chance(3) { meanwhile.append(draw.act(by: 1)) }
        self.meanwhile = draw.one(in: 5) ? [] : meanwhile + [.device(1, .sync(Self.collection))]
    }

    /// Performs the run.
    package func end(_ course: Course) throws -> End {
        let run = try SimulationRun(self.setting, configuration: nil) { MemoryStore() }
        for step in self.before { try run.perform(step) }
        for _ in 0..<self.number { try run.perform(.device(0, .carry(0, .whole))) }
        let former = run.server.ledger.rows
        try run.perform(.device(0, .carry(0, course.fate)))
        var end = End()
        end.taken = Set(run.server.ledger.rows.filter { former[$0.key] != $0.value }.map(\.key.text))
        if course == .finished { try run.perform(.device(0, .sync(Self.collection))) }
        for step in self.meanwhile { try run.perform(step) }
        try run.end()
        for (place, version) in run.server.ledger.rows {
            end.rows[place.text] = version.data.map { String(decoding: $0, as: UTF8.self) } ?? "deleted"
        }
        return end
    }

    /// The rows that differ from each permitted run: those in which the message arrived, and those that count as if it had.
    package func differences() throws -> [String] {
        let lost = try self.end(.answerLost)
        let arrived = [try self.end(.answered), try self.end(.finished)]
        let early = try self.end(.requestLost)
        let places = ([lost, early] + arrived).reduce(into: Set<String>()) { $0.formUnion($1.rows.keys) }
        return places.sorted().compactMap { place in
            let lawful = lost.taken.contains(place) ? arrived : arrived + [early]
            guard !lawful.contains(where: { $0.rows[place] == lost.rows[place] }) else { return nil }
            let words = lawful.map { $0.rows[place] ?? "nothing" }
            return "\(place): \(lost.rows[place] ?? "nothing"), and not \(words.joined(separator: " or "))"
        }
    }

    /// The run as text, without the loss.
    package var script: String {
        let steps =
            self.before + Array(repeating: .device(0, .carry(0, .whole)), count: self.number)
            + [.device(0, .carry(0, .answerLost))] + self.meanwhile
        return SimulationScript(self.setting, steps).text
    }
}

extension LostMessage.Course {
    fileprivate var fate: SimulationStep.RequestFate {
        switch self {
        case .answered, .finished: .whole
        case .answerLost: .answerLost
        case .requestLost: .lost
        }
    }
}

extension SimulationDraw {
    /// Draws an act of a device's app on a record.
    fileprivate mutating func act(by device: Int) -> SimulationStep {
        let place = self.place()
        switch self.chance(8) {
        case 0: return .device(device, .create(place, word: self.word()))
        case 1: return .device(device, .delete(place))
        case 2: return .device(device, .clear(place, field: self.pick(["/x", "/text"])))
        case 3: return .device(device, .append(place, field: "/text", word: self.word()))
        case 4: return .device(device, .add(place, 1))
        default: return .device(device, .type(place, field: self.pick(["/title", "/x", "/in/a"]), word: self.word()))
        }
    }
}
