import Foundation

/// Compares Tidemark with the libraries under it and with other libraries, in one run.
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
            if let catalog = options.catalog { return try Self.writePage(in: catalog) }
            try await Self.run(options)
        } catch {
            Self.complain("bench: \(error)")
            exit(1)
        }
    }

    private static func run(_ options: Options) async throws {
        let chosen = Benchmarks.chosen(pattern: options.pattern, only: options.only)
        guard !chosen.isEmpty else { throw Unavailable("no benchmark has that name; --list prints all names") }
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

    /// Runs a benchmark. A failure does not stop the others.
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

    private static func writePage(in catalog: String) throws {
        let lines = try MeasuredLine.all(in: [UInt8](FileHandle.standardInput.readDataToEndOfFile()))
        try SpeedPage(lines: lines).write(to: URL(fileURLWithPath: catalog))
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
