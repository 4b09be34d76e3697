/// `tidemark demo`: two devices and a server come to agree, before your eyes.
enum DemoCommand: Command {
    static let name = "demo"
    static let summary = "watch two devices and a server come to agree"
    static let parameters: [Parameter] = []
    static let options: [Option] = []
    static let example = "tidemark demo"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        try await Demo.run(console) ? .success : .failure
    }
}
