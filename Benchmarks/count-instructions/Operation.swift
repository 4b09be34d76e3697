/// Something whose work is counted for an input of any size.
struct Operation {
    /// Such as `parse duplicate-keys`: what is done, and to which shape.
    let name: String

    /// The smaller of the two sizes it is counted for; the other is twice as large.
    let size: Int

    /// Makes an input of a size, and gives the work that is counted.
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

/// Closes one part of the count and opens the next: the tool that counts is told to look at this function's name.
@inline(never)
func reachMark(_ text: String) {
    print(text)
}
