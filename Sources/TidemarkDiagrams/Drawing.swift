/// The content of a diagram, independent of its language: boxes, at most one composite state around some of them, and lines.
///
/// All arrows between the same two ends are one line with several labels. An event that leads from each box of the
/// composite to the same place is one line from the border. A picture with a line for each cell would be unreadable.
package struct Drawing: Hashable, Sendable {
    /// A box with a name.
    package struct Box: Hashable, Sendable {
        /// The name in Graphviz; unique in a drawing.
        package var id: String

        /// The title that a reader sees.
        package var title: String

        /// The kind of box.
        package var tone: Tone

        /// The events that are received here without leaving, in the order of the table.
        package var inside: [String]

        /// Whether the main path leads through it.
        package var isOnRoad: Bool
    }

    /// A composite state: a border around boxes.
    package struct Composite: Hashable, Sendable {
        /// The title that a reader sees; no two boxes of the drawing have the same title.
        package var title: String

        /// The boxes inside the border.
        package var boxes: [Box]
    }

    /// Where a line begins or ends.
    package enum End: Hashable, Sendable {
        /// The box with this id.
        case box(String)

        /// The border of the composite, which represents each of its boxes.
        case border
    }

    /// An event that leads along a line.
    package struct Label: Hashable, Sendable {
        /// The name, as the table spells it.
        package var event: String

        /// Whether the main path goes along it.
        package var isOnRoad: Bool
    }

    /// One line for all events that lead from one end to another.
    package struct Line: Hashable, Sendable {
        /// Where the line begins.
        package var source: End

        /// Where the arrow of the line points.
        package var target: End

        /// In the order of the table.
        package var labels: [Label]

        /// Whether the main path goes along it.
        package var isOnRoad: Bool { self.labels.contains { $0.isOnRoad } }
    }

    /// The name of the file it is drawn into, without an ending.
    package var name: String

    /// A description of the picture, for screen readers.
    package var title: String

    /// Whether it is read from left to right rather than from top to bottom.
    package var isWide: Bool

    /// The border and the boxes inside; nil for a drawing without a composite.
    package var composite: Composite?

    /// The boxes outside the composite.
    package var boxes: [Box]

    package var lines: [Line]
}

extension Drawing {
    /// Every box, those of the composite first.
    package var allBoxes: [Box] { (self.composite?.boxes ?? []) + self.boxes }

    /// Whether a line stays in the composite.
    package func isInside(_ line: Line) -> Bool {
        let inside = Set(self.composite?.boxes.map { End.box($0.id) } ?? [])
        return inside.isSuperset(of: [line.source, line.target])
    }

    package var words: Set<String> {
        var words = Set(self.allBoxes.flatMap { [$0.title] + $0.inside })
        words.formUnion(self.lines.flatMap { $0.labels.map(\.event) })
        if let composite = self.composite { words.insert(composite.title) }
        return words
    }

    package func rows(of line: Line) -> [[Label]] {
        line.labels.inRows(of: self.isWide ? 32 : 16, \.event)
    }

    /// The same drawing with a separate box at the outer end of each line: a fan, in which no line crosses another.
    var fannedOut: Drawing {
        var drawing = self
        drawing.boxes = []
        for index in self.lines.indices {
            let line = self.lines[index]
            drawing.lines[index].source = drawing.fanOut(line.source, of: self, number: index)
            drawing.lines[index].target = drawing.fanOut(line.target, of: self, number: index)
        }
        return drawing
    }

    private mutating func fanOut(_ end: End, of drawing: Drawing, number: Int) -> End {
        guard var box = drawing.boxes.first(where: { end == .box($0.id) }) else { return end }
        box.id += "_\(number)"
        box.isOnRoad = drawing.lines[number].isOnRoad
        self.boxes.append(box)
        return .box(box.id)
    }
}

extension Drawing.Box {
    /// The events that are received in it, in rows.
    package var rows: [[String]] { self.inside.inRows(of: 20, \.self) }
}

extension Array {
    /// The elements in rows that are no wider than some letters, counted with commas between the names.
    func inRows(of width: Int, _ name: (Element) -> String) -> [[Element]] {
        var rows: [[Element]] = []
        var room = 0
        for element in self {
            let length = name(element).count + 2
            if length <= room {
                rows[rows.count - 1].append(element)
            } else {
                rows.append([element])
                room = width + 2
            }
            room -= length
        }
        return rows
    }
}

extension Drawing: CustomStringConvertible {
    /// The name; a drawing is too long for a message.
    package var description: String { self.name }
}
