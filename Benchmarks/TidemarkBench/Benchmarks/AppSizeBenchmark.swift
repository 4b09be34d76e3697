import Foundation

/// The size that Tidemark adds to an app, measured by a program that does little else.
enum AppSizeBenchmark {
    static let product = "minimal-app"

    static var size: Benchmark {
        Benchmark(
            name: "app.mib", unit: "MiB", against: "the same app without Swift's standard libraries", better: .less,
            summary: "a stripped app that syncs a record, with Swift's libraries in it, built as Getting started says"
        ) { laboratory in
            let outside = try Self.size(laboratory, "small-app", self.small)
            let inside = try Self.size(laboratory, "small-app-static", self.small + ["--static-swift-stdlib"])
            let plain = try Self.size(laboratory, "plain-app-static", ["--static-swift-stdlib"])
            var measurement = Measurement([inside], ratio: outside / inside, clock: .none)
            measurement.add("without_standard_libraries", outside)
            measurement.add("with_foundation_and_plain_settings", plain)
            return measurement
        }
    }

    /// The options that GettingStarted.md recommends for a small app.
    private static let small = [
        "--disable-default-traits", "-Xswiftc", "-Xfrontend", "-Xswiftc", "-function-sections", "-Xlinker", "--icf=all",
        "-Xlinker", "--no-export-dynamic",
    ]

    /// Builds the app in a separate folder of `.build`, since other settings in the same folder would not recompile it, and
    /// returns its size without symbols.
    private static func size(_ laboratory: Laboratory, _ folder: String, _ options: [String]) throws -> Double {
        let checkout = try laboratory.checkout()
        let scratch = checkout.appendingPathComponent(".build/\(folder)")
        let build = ["swift", "build", "-c", "release", "--scratch-path", scratch.path, "--product", self.product]
        try self.run(build + ["--quiet"] + options, in: checkout)
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
