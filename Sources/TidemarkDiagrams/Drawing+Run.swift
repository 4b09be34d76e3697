import TidemarkMachine

extension Drawing {
    /// When a collection syncs.
    static let run = Sketch(Arrow.ofRun) { Sketch.Place(title: $0.rawValue, tone: Tone($0)) }
        .drawing("run", title: "The run loop: when a collection syncs")
}
