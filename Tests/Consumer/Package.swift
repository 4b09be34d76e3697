// swift-tools-version: 6.2

import Foundation
import PackageDescription

// An app that depends on Tidemark by its Git URL. `scripts/consumer` puts the programs of the README into it, and sets the
// variable.
let url = ProcessInfo.processInfo.environment["TIDEMARK_URL"] ?? "https://git.example/tidemark.git"

let package = Package(
    name: "consumer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: url, .upToNextMinor(from: "0.1.0"))],
    targets: [
        .executableTarget(
            name: "Program",
            dependencies: [
                "App",
                .product(name: "Tidemark", package: "tidemark"),
                .product(name: "TidemarkTesting", package: "tidemark"),
            ]),
        // With the isolation of a new app in Xcode 26.
        .target(
            name: "App",
            dependencies: [.product(name: "Tidemark", package: "tidemark")],
            swiftSettings: [.defaultIsolation(MainActor.self)]),
        .testTarget(
            name: "ProgramTests",
            dependencies: [
                .product(name: "Tidemark", package: "tidemark"),
                .product(name: "TidemarkMachine", package: "tidemark"),
            ]),
    ]
)
