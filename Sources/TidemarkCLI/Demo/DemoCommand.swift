/// `tidemark demo`: shows two devices and a server that sync, conflict and agree.
enum DemoCommand: Command {
    static let name = "demo"
    static let summary = "watch two devices and a server sync, conflict and agree"
    static let example = "tidemark demo"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        try await Demo.run(console) ? .success : .failure
    }
}
