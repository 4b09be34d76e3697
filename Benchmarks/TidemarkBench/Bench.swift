import Foundation

/// Compares Tidemark with what it is built on, and with what a user would pick instead, in one run.
///
///     make bench
///     scripts/bench 'pull.*'
@main
enum Bench {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if arguments.first == ChildRole.option, arguments.count > 1, let role = ChildRole(rawValue: arguments[1]) {
                return try await role.run(Array(arguments.dropFirst(2)))
            }
            let options = try Options(arguments, ProcessInfo.processInfo.environment)
            if options.isHelp { return print(Options.help) }
            if options.isList { return Self.list() }
            if let catalogue = options.catalogue { return try Self.writePage(in: catalogue) }
            try await Self.run(options)
        } catch {
            Self.complain("bench: \(error)")
            exit(1)
        }
    }

    private static func run(_ options: Options) async throws {
        let chosen = Benchmarks.chosen(pattern: options.pattern, only: options.only)
        guard !chosen.isEmpty else { throw Unavailable("no name fits; --list has them all") }
        let workspace = try Workspace()
        defer { workspace.clear() }
        let laboratory = Laboratory(workspace: workspace)
        Self.complain(ResultTable.head)
        for benchmark in chosen {
            let result = await Self.result(of: benchmark, laboratory)
            FileHandle.standardOutput.write(Data("\(ResultLine(benchmark: benchmark, result: result).text)\n".utf8))
            Self.complain(ResultTable.row(benchmark, result))
        }
    }

    /// One that fails leaves the others their turn.
    private static func result(
        of benchmark: Benchmark, _ laboratory: Laboratory
    ) async -> Result<Measurement, Unavailable> {
        do {
            return .success(try await benchmark.run(laboratory))
        } catch let reason as Unavailable {
            return .failure(reason)
        } catch {
            return .failure(Unavailable("\(error)"))
        }
    }

    private static func writePage(in catalogue: String) throws {
        let lines = try MeasuredLine.all(in: [UInt8](FileHandle.standardInput.readDataToEndOfFile()))
        try SpeedPage(lines: lines).write(to: URL(fileURLWithPath: catalogue))
    }

    private static func list() {
        for benchmark in Benchmarks.all {
            print("\(benchmark.name): \(benchmark.summary)\(benchmark.against.map { "; against \($0)" } ?? "")")
        }
    }

    private static func complain(_ line: String) {
        FileHandle.standardError.write(Data("\(line)\n".utf8))
    }
}
