import TidemarkMachine

extension Drawing {
    /// One GET or POST after the other.
    static let exchange = Sketch(Arrow.ofExchange) { Sketch.Place(title: $0.rawValue, tone: Tone($0)) }
        .drawing("exchange", title: "The exchange of a collection: one GET or POST after the other")
}
