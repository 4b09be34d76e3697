/// A small random generator (Steele, Lea, Flood 2014) that gives the same numbers for the same seed everywhere.
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        self.state = seed
    }

    package mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True once in `count` times.
    package mutating func oneIn(_ count: Int) -> Bool {
        Int.random(in: 0..<count, using: &self) == 0
    }

    /// One of the elements.
    package mutating func pick<Element>(_ first: Element, _ others: Element...) -> Element {
        let place = Int.random(in: 0...others.count, using: &self)
        return place == 0 ? first : others[place - 1]
    }
}
