import Foundation

/// What Tidemark adds to an app: the size of a program that does little else.
enum AppSizeBenchmark {
    static let product = "minimal-app"

    static var size: Benchmark {
        Benchmark(
            name: "app.mib", unit: "MiB", against: "the same with the standard libraries outside of it", better: .less,
            summary: "a stripped app that creates a record and syncs, with Swift's libraries and Foundation in it"
        ) { laboratory in
            let checkout = try laboratory.checkout()
            let outside = try Self.size(checkout, ["--scratch-path", ".build"], laboratory)
            let inside = try Self.size(
                checkout, ["--scratch-path", ".build/bench-static", "--static-swift-stdlib"], laboratory)
            var measurement = Measurement([inside], ratio: outside / inside, clock: .none)
            measurement.add("without_standard_libraries", outside)
            return measurement
        }
    }

    /// Builds the app, and says how large it is without symbols.
    private static func size(_ checkout: URL, _ options: [String], _ laboratory: Laboratory) throws -> Double {
        let build = ["swift", "build", "-c", "release", "--product", self.product, "--quiet"] + options
        try self.run(build, in: checkout)
        let scratch = checkout.appendingPathComponent(options[1])
        let app = scratch.appendingPathComponent("release/\(self.product)")
        let copy = try laboratory.workspace.folder().appendingPathComponent(self.product)
        try FileManager.default.copyItem(at: app, to: copy)
        try self.run(["strip", copy.path], in: checkout)
        let size = try FileManager.default.attributesOfItem(atPath: copy.path)[.size] as? NSNumber
        return (size?.doubleValue ?? 0) / 1_048_576
    }

    private static func run(_ words: [String], in folder: URL) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.currentDirectoryURL = folder
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Unavailable("“\(words.joined(separator: " "))” failed") }
    }
}
