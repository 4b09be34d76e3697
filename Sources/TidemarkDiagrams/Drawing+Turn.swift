import TidemarkMachine

extension Drawing {
    /// Who has the store.
    static let turn = Sketch(Arrow.ofTurn) { Sketch.Place(title: $0.rawValue, tone: Tone($0)) }
        .drawing("turn", title: "The turn: which client has the store")
}
