/// Why a command could not do what it was asked, and what to do about it.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ message: String) {
        self.description = message
    }
}
