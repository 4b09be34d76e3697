import Foundation
import TestSupport
import Testing

/// A temporary folder for runs of the tool. On deinit it is deleted, and the tools started in it are killed.
final class Workshop {
    private let temporary: TemporaryFolder
    private var running: [RunningTool] = []

    var folder: URL { self.temporary.url }

    init() throws { self.temporary = try TemporaryFolder() }

    deinit {
        for tool in self.running { tool.kill() }
    }

    /// The tool that was built together with the tests.
    static func tool() throws -> URL {
        let folders =
            [URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()]
            + Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        let candidates = folders.map { $0.appendingPathComponent("tidemark") }
        return try #require(
            candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) },
            "the tool is not next to the tests: \(candidates.map(\.path))")
    }

    func path(_ name: String) -> String { self.temporary.path(name) }

    func write(_ text: String, to name: String) throws {
        try self.temporary.write(text, to: name)
    }

    /// Runs the tool to its end.
    @discardableResult
    func run(_ words: String..., input: String = "") throws -> ToolRun { try self.run(words, input: input) }

    /// Runs the tool to its end.
    @discardableResult
    func run(_ words: [String], input: String = "") throws -> ToolRun {
        try self.start(words, input: input).finish()
    }

    /// Runs the tool, which must succeed; returns its output.
    @discardableResult
    func done(_ words: String..., input: String = "", _ place: SourceLocation = #_sourceLocation) throws -> String {
        try self.done(words, input: input, place)
    }

    /// Runs the tool, which must succeed; returns its output.
    @discardableResult
    func done(_ words: [String], input: String = "", _ place: SourceLocation = #_sourceLocation) throws -> String {
        let run = try self.run(words, input: input)
        try #require(run.status == 0, "\(words): \(run.errors)", sourceLocation: place)
        return run.output
    }

    /// Starts the tool.
    func start(_ words: [String], input: String = "") throws -> RunningTool {
        let tool = try RunningTool(try Self.tool(), words, in: self.folder, input: input)
        self.running.append(tool)
        return tool
    }

    /// Starts a server on a free port.
    func serve(_ words: String..., store: String = "server.db") throws -> ToolServer {
        try ToolServer(
            try self.start(["serve", "--store", store, "--listen", "127.0.0.1:0"] + words),
            hasLog: words.contains("--access-log"))
    }

    /// Creates a store that syncs with a server.
    func device(_ store: String, _ server: ToolServer, _ words: String...) throws {
        let run = try self.run(["init", "--store", store, "--remote", server.url] + words)
        try #require(run.status == 0, "\(run.errors)")
    }
}

/// The result of a run of the tool.
struct ToolRun {
    var status: Int32
    var output: String
    var errors: String

    /// The lines of the result.
    var lines: [String] { self.output.split(separator: "\n").map(String.init) }
}
