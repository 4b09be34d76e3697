/// Makes a drawing from arrows. It places each phase, and merges phases into boxes and arrows into lines.
struct Sketch<Phase: Hashable & CaseIterable & CustomStringConvertible & Sendable> {
    /// Where a phase is drawn. Several phases can be drawn as one box.
    struct Place: Hashable {
        var title: String
        var tone: Tone
        var side = Side.outside
    }

    /// The side of the composite on which a place is.
    enum Side: Hashable {
        case inside

        /// The source of a line into the composite. A place that is both source and target is drawn on both sides, so that
        /// the drawing reads in one direction and has no lines around the composite.
        case before

        /// The target of a line out of the composite.
        case after

        /// The drawing has no composite.
        case outside
    }

    private struct Move: Hashable {
        var source: Place
        var target: Place
        var event: String
    }

    private let composite: String?
    private var places: [Place] = []
    private var moves: [Move] = []
    private var road: Set<Move> = []

    /// Collects the places and the moves.
    ///
    /// - Parameters:
    ///   - arrows: In the order of the table.
    ///   - composite: The title of the composite state; nil for a drawing without one.
    ///   - place: Where a phase is drawn, either inside or outside. The arrows decide the side of a place outside.
    init(_ arrows: [Arrow<Phase>], composite: String? = nil, place: (Phase) -> Place) {
        self.composite = composite
        for arrow in arrows {
            let move = Move(
                source: Self.nextTo(place(arrow.source), composite == nil ? .outside : .before),
                target: Self.nextTo(place(arrow.target), composite == nil ? .outside : .after),
                event: arrow.event)
            if !self.moves.contains(move) { self.moves.append(move) }
            if arrow.isOnRoad { self.road.insert(move) }
        }
        let used = self.moves.flatMap { [$0.source, $0.target] }
        // Boxes in a frame have the order of the table.
        let table = composite == nil ? [] : Phase.allCases.map(place)
        let ordered = table.flatMap { [$0, Self.nextTo($0, .before), Self.nextTo($0, .after)] }
        for place in ordered.filter(used.contains) + used where !self.places.contains(place) {
            self.places.append(place)
        }
    }

    private static func nextTo(_ place: Place, _ side: Side) -> Place {
        var place = place
        if place.side == .outside { place.side = side }
        return place
    }

    /// Makes the drawing.
    ///
    /// - Parameters:
    ///   - name: The name of its file, without an ending.
    ///   - title: A description of the drawing.
    ///   - isWide: Whether it is read from left to right.
    func drawing(_ name: String, title: String, isWide: Bool = false) -> Drawing {
        Drawing(
            name: name, title: title, isWide: isWide,
            composite: self.composite.map { title in
                Drawing.Composite(title: title, boxes: self.places.filter { $0.side == .inside }.map(self.box))
            },
            boxes: self.places.filter { $0.side != .inside }.map(self.box),
            lines: self.lines)
    }

    private func box(_ place: Place) -> Drawing.Box {
        Drawing.Box(
            id: self.id(place), title: place.title, tone: place.tone,
            inside: self.moves.filter { $0.source == place && $0.target == place }.map(\.event),
            isOnRoad: self.road.contains { $0.source == place || $0.target == place })
    }

    private func id(_ place: Place) -> String {
        switch place.side {
        case .inside: "in_\(place.title)"
        case .before: "from_\(place.title)"
        case .after: "to_\(place.title)"
        case .outside: place.title
        }
    }
}

extension Sketch {
    private var lines: [Drawing.Line] {
        var lines: [Drawing.Line] = []
        for move in self.moves where move.source != move.target {
            let source: Drawing.End = self.isShared(move, from: true) ? .border : .box(self.id(move.source))
            let target: Drawing.End = self.isShared(move, from: false) ? .border : .box(self.id(move.target))
            let label = Drawing.Label(event: move.event, isOnRoad: self.road.contains(move))
            guard let index = lines.firstIndex(where: { $0.source == source && $0.target == target }) else {
                lines.append(Drawing.Line(source: source, target: target, labels: [label]))
                continue
            }
            if !lines[index].labels.contains(where: { $0.event == move.event }) { lines[index].labels.append(label) }
        }
        return lines
    }

    /// Whether an event leads from all boxes of the composite to the same place, or from one place to all of them.
    private func isShared(_ move: Move, from isSource: Bool) -> Bool {
        let (own, other) = isSource ? (move.source, move.target) : (move.target, move.source)
        guard own.side == .inside, other.side != .inside else { return false }
        return self.places.filter { $0.side == .inside }.allSatisfy { member in
            self.moves.contains(
                isSource
                    ? Move(source: member, target: move.target, event: move.event)
                    : Move(source: move.source, target: member, event: move.event))
        }
    }
}
