/// Why a test can't go on.
struct Trouble: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
