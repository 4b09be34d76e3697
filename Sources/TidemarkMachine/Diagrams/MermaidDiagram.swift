/// A drawing in Mermaid's language: nodes, and arrows that carry the names of events.
///
/// All arrows between the same two nodes are drawn as one, since a picture with a line for each event can't be read.
struct MermaidDiagram {
    /// How many names of events stand on one line of a label.
    private static let namesOnOneLine = 3

    private let text: String

    /// Draws arrows in the order in which they come.
    ///
    /// - Parameter arrows: Names of nodes and of events. The node `absent` is Mermaid's `[*]`.
    init(_ arrows: [(source: String, target: String, event: String)]) {
        var order: [String] = []
        var events: [String: [String]] = [:]
        var nodes: [String] = []
        for arrow in arrows {
            for node in [arrow.source, arrow.target] where node != "absent" && !nodes.contains(node) {
                nodes.append(node)
            }
            let line = "\(Self.name(arrow.source)) --> \(Self.name(arrow.target))"
            if events[line] == nil { order.append(line) }
            if events[line, default: []].contains(arrow.event) { continue }
            events[line, default: []].append(arrow.event)
        }
        var lines = ["stateDiagram-v2"]
        for node in nodes where Self.name(node) != node {
            lines.append("    state \"\(node)\" as \(Self.name(node))")
        }
        for line in order {
            lines.append("    \(line): \(Self.label(events[line, default: []]))")
        }
        self.text = lines.joined(separator: "\n")
    }

    /// The drawing, ready to stand in a page of Markdown.
    var fenced: String { "```mermaid\n\(self.text)\n```\n" }

    private static func name(_ node: String) -> String {
        node == "absent" ? "[*]" : String(node.map { $0 == "." ? "_" : $0 })
    }

    private static func label(_ events: [String]) -> String {
        stride(from: 0, to: events.count, by: Self.namesOnOneLine)
            .map { events[$0..<min($0 + Self.namesOnOneLine, events.count)].joined(separator: ", ") }
            .joined(separator: ",<br/>")
    }
}

extension MermaidDiagram {
    /// Draws arrows of a table.
    init<Node>(_ arrows: [Arrow<Node>]) {
        self.init(arrows.map { (source: $0.source.description, target: $0.target.description, event: $0.event) })
    }
}
