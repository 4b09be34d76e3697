import Foundation
import Testing

/// The root folder of this package.
enum Checkout {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static func url(_ path: String) -> URL {
        self.root.appendingPathComponent(path)
    }

    static func text(of path: String) throws -> String {
        try String(contentsOf: self.url(path), encoding: .utf8)
    }

    /// A program that was built with the tests.
    static func product(_ name: String) throws -> URL {
        let folders =
            [URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()]
            + Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        let candidates = folders.map { $0.appendingPathComponent(name) }
        return try #require(
            candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) },
            "\(name) is not next to the tests: \(candidates.map(\.path))")
    }
}
