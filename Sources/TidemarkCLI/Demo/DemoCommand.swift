/// `tidemark demo`: shows two devices and a server that sync, conflict and agree.
enum DemoCommand: Command {
    static let name = "demo"
    static let summary = "watch two devices and a server sync, conflict and agree"
    static let options = [Self.inspect]
    static let example = "tidemark demo"

    private static let inspect = Option(
        name: "--inspect", summary: "open a live page into a device with a conflict, to decide it there")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        guard !input.has(Self.inspect) else {
            try await DemoInspection.run(console)
            return .success
        }
        return try await Demo.run(console) ? .success : .failure
    }
}
