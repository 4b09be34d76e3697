/// An operation whose instructions are counted for an input of any size.
struct Operation {
    /// The operation and the shape of its input, such as `parse duplicate-keys`.
    let name: String

    /// The smaller of the two sizes for which it is counted; the other is twice as large.
    let size: Int

    /// Makes an input of a size, and returns the work that is counted.
    let prepare: (Int) throws -> () throws -> Void

    init<Input>(
        _ name: String, size: Int, _ make: @escaping (Int) throws -> Input, _ work: @escaping (Input) throws -> Void
    ) {
        self.name = name
        self.size = size
        self.prepare = { size in
            let input = try make(size)
            return { try work(input) }
        }
    }
}

/// Ends one part of the count and begins the next. The counting tool is configured with the name of this function.
@inline(never)
func reachMark(_ text: String) {
    print(text)
}
