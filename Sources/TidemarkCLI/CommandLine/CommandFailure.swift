/// The reason why a command failed, with advice for the user.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ message: String) {
        self.description = message
    }
}
