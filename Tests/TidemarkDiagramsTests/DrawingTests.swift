import Testing
import TidemarkMachine

@testable import TidemarkDiagrams

@Suite struct DrawingTests {
    private typealias Place = Sketch<ExchangePhase>.Place

    /// Two phases in a frame, the others outside.
    private func drawing(_ arrows: [Arrow<ExchangePhase>]) -> Drawing {
        Sketch(arrows, composite: "out") { phase in
            switch phase {
            case .getting, .posting: Place(title: phase.rawValue, tone: .uploading, side: .inside)
            case .idle, .waiting, .paused: Place(title: phase.rawValue, tone: .settled)
            }
        }
        .drawing("x", title: "x")
    }

    private func arrow(
        _ source: ExchangePhase, _ event: String, _ target: ExchangePhase, isOnRoad: Bool = false
    ) -> Arrow<ExchangePhase> {
        Arrow(source: source, target: target, event: event, isOnRoad: isOnRoad)
    }

    @Test func `an event from every box of the frame to one place leaves the border once`() {
        let drawing = self.drawing([
            self.arrow(.getting, "failed", .waiting), self.arrow(.posting, "failed", .waiting),
            self.arrow(.posting, "refused", .waiting),
        ])
        #expect(
            drawing.lines.map { [$0.source, $0.target] } == [
                [.border, .box("to_waiting")], [.box("in_posting"), .box("to_waiting")],
            ])
        #expect(drawing.lines.map { $0.labels.map(\.event) } == [["failed"], ["refused"]])
    }

    @Test func `an event from one place to every box of the frame reaches the border once`() {
        let drawing = self.drawing([self.arrow(.idle, "due", .getting), self.arrow(.idle, "due", .posting)])
        #expect(drawing.lines.map { [$0.source, $0.target] } == [[.box("from_idle"), .border]])
    }

    @Test func `an event from two boxes to different places does not leave the border`() {
        let drawing = self.drawing([
            self.arrow(.getting, "failed", .waiting), self.arrow(.posting, "failed", .paused),
        ])
        #expect(!drawing.lines.contains { $0.source == .border })
    }

    @Test func `an event that leads back to its box is a word in the box, not a line`() {
        let drawing = self.drawing([self.arrow(.getting, "again", .getting), self.arrow(.getting, "done", .idle)])
        #expect(drawing.allBoxes.map(\.inside) == [["again"], []])
        #expect(drawing.lines.count == 1)
    }

    @Test func `events between the same ends share a line, bold if on the main path`() {
        let drawing = self.drawing([
            self.arrow(.getting, "a", .posting), self.arrow(.getting, "b", .posting, isOnRoad: true),
        ])
        #expect(drawing.lines.map { $0.labels.map(\.event) } == [["a", "b"]])
        #expect(drawing.lines.map(\.isOnRoad) == [true])
        #expect(drawing.lines.map { $0.labels.map(\.isOnRoad) } == [[false, true]])
    }

    @Test func `in a drawing with one box for each line, every line ends in a separate box`() {
        let fan = self.drawing([self.arrow(.getting, "a", .idle), self.arrow(.posting, "b", .idle)]).fannedOut
        #expect(fan.boxes.map(\.title) == ["idle", "idle"])
        #expect(Set(fan.allBoxes.map(\.id)).count == 4)
        #expect(fan.lines.map(\.target) == fan.boxes.map { .box($0.id) })
    }

    @Test(arguments: StateDiagrams.drawings)
    func `the text for Graphviz names every box, every event and the frame`(drawing: Drawing) {
        let dot = DotDiagram(drawing).text
        for word in drawing.words { #expect(dot.contains(word), "\(word)") }
        #expect(dot.contains("subgraph cluster {") == (drawing.composite != nil))
    }

    @Test(arguments: StateDiagrams.drawings)
    func `each box of a drawing has a unique id`(drawing: Drawing) {
        #expect(Set(drawing.allBoxes.map(\.id)).count == drawing.allBoxes.count)
    }

    @Test func `the main path of a record leads from SYNCD through EDITED and back`() {
        let road = Drawing.inside(.edited).lines.filter(\.isOnRoad)
        #expect(
            road.map { [$0.source, $0.target] } == [
                [.box("from_SYNCD"), .box("in_idle")], [.box("in_idle"), .box("in_uploading")],
                [.box("in_uploading"), .box("to_SYNCD")],
            ])
    }

    @Test func `the digest in a picture changes with an event, with a bold line and with the kind of a box`() {
        let drawing = self.drawing([self.arrow(.getting, "a", .posting), self.arrow(.getting, "b", .posting)])
        var (other, bold, toned) = (drawing, drawing, drawing)
        other.lines[0].labels[0].event = "c"
        bold.lines[0].labels[0].isOnRoad = true
        toned.composite?.boxes[0].tone = .held
        #expect(Set([drawing, other, bold, toned].map { DotDiagram($0).seal }).count == 4)
    }
}
