import Tidemark
import TidemarkInspector

/// `tidemark inspect`: shows what a store has, and why, in a browser: as a file, or live.
enum InspectCommand: Command {
    static let name = "inspect"
    static let summary = "show a store in a browser: problems, queue, records, history"
    static let options = [Option.store, Self.html, Self.port]
    static let example = "tidemark inspect --store phone.db --html phone.html"

    private static let html = Option(
        name: "--html", value: "OUT",
        summary:
            "write a file that needs no server, which only its owner can read, and end; without it the page is live")

    private static let port = Option(
        name: "--port", value: "N", summary: "the port of the live page on 127.0.0.1; default: a free one")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let path = try input.required(Option.store)
        let command: InspectorData.CommandLine = { words, collection, pk in
            ShellWords.command(words, store: path, collection, pk)
        }
        guard let out = input.value(Self.html) else {
            return try await self.serve(path, port: try Self.port(input), command, console)
        }
        guard !input.has(Self.port) else {
            throw UsageError("--port is for the live page, without --html", for: Self.self)
        }
        let page = try PageFile(out)
        let store = try await OpenStore(reading: path, console)
        let now = SystemTime().now
        let source = InspectorData.Source(
            title: path, origin: "\(store.copyTime == nil ? "store" : "copy") of \(ClockTime(store.copyTime ?? now))",
            notes: store.copyTime == nil
                ? [] : ["Another program has the store open. What it has in flight is shown as being sent."],
            command: command)
        try page.write(InspectorPage.file(try await InspectorData.read(store.client, from: source, now: now)))
        console.say(
            "Open \(page.path) in a browser. It contacts no server, and has records of the store: pass it on with care."
        )
        return .success
    }

    private static func port(_ input: Arguments) throws(UsageError) -> UInt16 {
        guard let number = try input.number(Self.port) else { return 0 }
        guard let port = UInt16(exactly: number) else {
            throw UsageError("--port \(number) is not a port: 1 to 65535", for: Self.self)
        }
        return port
    }

    private static func serve(
        _ path: String, port: UInt16, _ command: @escaping InspectorData.CommandLine, _ console: Console
    ) async throws -> ExitStatus {
        _ = try OpenStore.prepareFile(at: path, .required)
        let source = CopySource(path, command: command)
        // So that a store that can't be read is an error of the command.
        _ = try await source.data(since: nil)
        try await Inspector(source, port: port).show(
            "Open this link within a minute; it is valid once. The page shows copies of the store. Ctrl-C ends it.",
            console)
        return .success
    }
}

extension Inspector {
    /// Prints a link to the page, and waits for a stop signal; such a signal is awaited before the link is printed.
    func show(_ words: String, _ console: Console) async throws {
        let signals = StopSignals(hangUp: .stops)
        try console.print(self.makeLink())
        try console.flush()
        console.say(words)
        await signals.first()
    }
}
