/// The places of boxes and lines in the format `json0` of `dot`: texts of numbers, in points from the lower left.
struct Layout: Decodable {
    /// A box, or the frame of a composite.
    struct Object: Decodable {
        let name: String
        let bb: String?
        let pos: String?
        let width: String?
        let height: String?
    }

    /// An edge, with the `id` that the DOT source gives it.
    struct Edge: Decodable {
        let id: String
        let pos: String
        let lp: String?
    }

    let bb: String
    let objects: [Object]
    let edges: [Edge]

    /// How many points an inch has. Only the sizes of boxes are in inches.
    static let pointsInInch = 72.0

    /// The numbers of a text that are separated by commas or spaces.
    static func numbers(_ text: String) -> [Double] {
        text.split { $0 == "," || $0 == " " }.compactMap { Double($0) }
    }
}

/// A place in a picture, in points from the upper left.
struct Point {
    var x: Double
    var y: Double
}

/// A rectangle in a picture, in points from the upper left.
struct Frame {
    var x: Double
    var y: Double
    var width: Double
    var height: Double
}

extension Layout {
    var size: (width: Double, height: Double) {
        let box = Self.numbers(self.bb)
        return box.count == 4 ? (box[2], box[3]) : (0, 0)
    }

    /// The points of a text such as `12,30.5 14,8`.
    func points(_ text: String) -> [Point] {
        text.split(separator: " ").compactMap { pair in
            let numbers = Self.numbers(String(pair))
            return numbers.count == 2 ? Point(x: numbers[0], y: self.size.height - numbers[1]) : nil
        }
    }

    /// The place of a box; nil if the layout does not have it.
    func frame(of name: String) -> Frame? {
        guard let object = self.objects.first(where: { $0.name == name }) else { return nil }
        if let corners = object.bb.map(Self.numbers), corners.count == 4 {
            return Frame(
                x: corners[0], y: self.size.height - corners[3],
                width: corners[2] - corners[0], height: corners[3] - corners[1])
        }
        guard let middle = object.pos.flatMap({ self.points($0).first }),
            let width = object.width.flatMap(Double.init), let height = object.height.flatMap(Double.init)
        else { return nil }
        let (across, down) = (width * Self.pointsInInch, height * Self.pointsInInch)
        return Frame(x: middle.x - across / 2, y: middle.y - down / 2, width: across, height: down)
    }

    /// The line with a number: its curve, the tip of its arrow, and the middle of its label.
    func line(_ number: Int) -> (curve: [Point], tip: Point, label: Point)? {
        guard let edge = self.edges.first(where: { $0.id == String(number) }), edge.pos.hasPrefix("e,"),
            let tip = self.points(String(edge.pos.dropFirst(2))).first,
            let label = edge.lp.flatMap({ self.points($0).first })
        else { return nil }
        return (Array(self.points(String(edge.pos.dropFirst(2))).dropFirst()), tip, label)
    }
}
