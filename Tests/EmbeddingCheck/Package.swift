// swift-tools-version: 6.2

import PackageDescription

// Someone's package. `.ci/embed` puts the programs of the README into it, next to a link to this checkout, and runs them.
let package = Package(
    name: "embedding-check",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "tidemark", path: "../tidemark")],
    targets: [
        .executableTarget(
            name: "Program",
            dependencies: [
                .product(name: "Tidemark", package: "tidemark"),
                .product(name: "TidemarkTesting", package: "tidemark"),
            ]),
        .testTarget(
            name: "ProgramTests",
            dependencies: [
                .product(name: "Tidemark", package: "tidemark"),
                .product(name: "TidemarkMachine", package: "tidemark"),
            ]),
    ]
)
