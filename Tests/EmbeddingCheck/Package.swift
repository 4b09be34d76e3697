// swift-tools-version: 6.2

import PackageDescription

// A package that depends on Tidemark. `.ci/embed` puts the README's programs into it, next to a link to this checkout, and
// runs them.
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
