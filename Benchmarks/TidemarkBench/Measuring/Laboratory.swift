import Foundation

/// The environment of benchmarks: a temporary folder, the data, and the files from the script.
final class Laboratory {
    let workspace: Workspace

    /// The folder of `BENCH_DATA`; nil to make all data from a seed.
    let data: URL?

    private let environment: [String: String]
    private var largeStore: LargeStore?

    init(workspace: Workspace, environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.workspace = workspace
        self.environment = environment
        self.data = environment["BENCH_DATA"].flatMap { $0.isEmpty ? nil : URL(fileURLWithPath: $0) }
    }

    /// A file of `BENCH_DATA`; nil if it is missing.
    func file(_ name: String) throws -> [UInt8]? {
        guard let url = self.data?.appendingPathComponent(name), FileManager.default.fileExists(atPath: url.path)
        else { return nil }
        return [UInt8](try Data(contentsOf: url))
    }

    /// The checkout that `scripts/bench` names.
    func checkout() throws -> URL {
        guard let path = self.environment["BENCH_CHECKOUT"] else {
            throw Unavailable("it builds programs of the checkout: start it by scripts/bench, or make bench")
        }
        return URL(fileURLWithPath: path)
    }

    /// The library with nlohmann/json that `scripts/bench` has built.
    var nlohmann: Result<String, Unavailable> {
        guard let path = self.environment["BENCH_NLOHMANN"], !path.isEmpty else {
            return .failure(
                Unavailable(self.environment["BENCH_NLOHMANN_WHY"] ?? "scripts/bench, which compiles it, was not used"))
        }
        return .success(path)
    }

    /// A program in the folder of this one.
    func program(_ name: String) throws -> URL {
        let url = Child.thisProgram.deletingLastPathComponent().appendingPathComponent(name)
        guard FileManager.default.isExecutableFile(atPath: url.path) else {
            throw Unavailable("\(name) is not in the folder of this program: swift build -c release --product \(name)")
        }
        return url
    }

    /// Runs some work with a temporary folder.
    func withFolder<Value>(_ work: (URL) async throws -> Value) async throws -> Value {
        let folder = try self.workspace.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await work(folder)
    }

    /// A store with a million records, which is made once.
    func millionRecords() throws -> LargeStore {
        if let store = self.largeStore { return store }
        let store = try self.storeInStep(rows: 1_000_000, in: try self.workspace.folder())
        self.largeStore = store
        return store
    }

    /// A new store with a number of records.
    func storeInStep(rows: Int, in folder: URL) throws -> LargeStore {
        try LargeStore(try self.program("pull-rows"), rows: rows, pageSize: 5_000, in: folder)
    }
}
