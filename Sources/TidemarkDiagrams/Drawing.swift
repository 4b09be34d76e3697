/// What is drawn, before a language is chosen: boxes, at most one composite state around some of them, and lines.
///
/// All arrows between the same two ends are one line with several labels, and what leaves every box of the composite
/// for the same place leaves its border once: a picture with a line for each cell of a table can't be read.
package struct Drawing: Hashable, Sendable {
    /// A box with a name.
    package struct Box: Hashable, Sendable {
        /// What the languages call it; its own in its drawing.
        package var id: String

        /// What a reader sees.
        package var title: String

        /// What it is.
        package var tone: Tone

        /// The events that are received here without leaving, in the order of the table.
        package var inside: [String]

        /// Whether the main road leads through it.
        package var isOnRoad: Bool
    }

    /// A composite state: a border around boxes.
    package struct Composite: Hashable, Sendable {
        /// What a reader sees; no box of the drawing has the same.
        package var title: String

        /// What it holds.
        package var boxes: [Box]
    }

    /// Where a line begins or ends.
    package enum End: Hashable, Sendable {
        /// The box with this id.
        case box(String)

        /// The border of the composite, which stands for each of its boxes.
        case border
    }

    /// An event that leads along a line.
    package struct Label: Hashable, Sendable {
        /// The name, as the table spells it.
        package var event: String

        /// Whether the main road goes along it.
        package var isOnRoad: Bool
    }

    /// One line for all events that lead from one end to another.
    package struct Line: Hashable, Sendable {
        /// Where it begins.
        package var source: End

        /// Where its arrow points.
        package var target: End

        /// In the order of the table.
        package var labels: [Label]

        /// Whether the main road goes along it.
        package var isOnRoad: Bool { self.labels.contains { $0.isOnRoad } }
    }

    /// The name of the file it is drawn into, without an ending.
    package var name: String

    /// What it shows, in words: for who can't see it.
    package var title: String

    /// Whether it is read from left to right rather than from top to bottom.
    package var isWide: Bool

    /// The border, and what is in it; nil when there is none.
    package var composite: Composite?

    /// The boxes that stand outside.
    package var boxes: [Box]

    /// Every line.
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

    /// Every word that can be read in it.
    package var words: Set<String> {
        var words = Set(self.allBoxes.flatMap { [$0.title] + $0.inside })
        words.formUnion(self.lines.flatMap { $0.labels.map(\.event) })
        if let composite = self.composite { words.insert(composite.title) }
        return words
    }

    /// The labels of a line, as they stand beside it in rows.
    package func rows(of line: Line) -> [[Label]] {
        line.labels.inRows(of: self.isWide ? 32 : 16, \.event)
    }

    /// The same drawing with a box of its own at the outer end of each line: a fan, in which no line crosses another.
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
    /// The events that are received in it, as they stand in it in rows.
    package var rows: [[String]] { self.inside.inRows(of: 20, \.self) }
}

extension Array {
    /// Names in a narrow place, with commas between them: a few on each row.
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
