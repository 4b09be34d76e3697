// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "tidemark",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "Tidemark", targets: ["Tidemark"]),
        .library(name: "TidemarkMachine", targets: ["TidemarkMachine"]),
        .library(name: "TidemarkJSON", targets: ["TidemarkJSON"]),
        .library(name: "TidemarkCarrier", targets: ["TidemarkCarrier"]),
        .library(name: "TidemarkServer", targets: ["TidemarkServer", "TidemarkListener"]),
        .library(name: "TidemarkTesting", targets: ["TidemarkTesting"]),
        .executable(name: "tidemark", targets: ["TidemarkCLI"]),
    ],
    targets: [
        // System libraries: module maps and shims, nothing else.
        .systemLibrary(
            name: "CYajl", pkgConfig: "yajl", providers: [.apt(["libyajl-dev"]), .brew(["yajl"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(
            name: "CMicrohttpd", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),

        // The pure middle: no socket, no file, no clock can be imported here.
        .target(name: "TidemarkJSON", dependencies: ["CYajl"]),
        .target(name: "TidemarkMachine"),
        // What HTTP's fields say: the wire's judgement and the carrier read them alike, and neither knows the other.
        .target(name: "TidemarkHTTPFields"),
        .target(name: "TidemarkCore", dependencies: ["TidemarkHTTPFields", "TidemarkJSON", "TidemarkMachine"]),

        // What the adapters share of the system libraries.
        .target(name: "TidemarkDatabase", dependencies: ["CSQLite"]),
        .target(name: "TidemarkGzip", dependencies: ["CZlib"]),

        // HTTP without any idea of sync: no arrow leads from here to the core. Every remote over HTTP is built on it, ours and
        // those that others write, and each says itself what a failure means to a sync.
        .target(
            name: "TidemarkCarrier",
            dependencies: [
                "TidemarkGzip", "TidemarkHTTPFields",
                // Apple's systems bring URLSession, which knows their networks, proxies and certificates best.
                .target(name: "CCurl", condition: .when(platforms: [.linux])),
            ]),

        // Adapters: each implements ports, and knows no other adapter.
        .target(
            name: "TidemarkSQLite",
            dependencies: ["TidemarkCore", "TidemarkDatabase", "TidemarkJSON", "TidemarkMachine"]),
        .target(name: "TidemarkHTTP", dependencies: ["TidemarkCarrier", "TidemarkCore", "TidemarkMachine"]),

        // The reference server: a pure core with storage, and a listener on top.
        .target(name: "TidemarkServer", dependencies: ["TidemarkDatabase", "TidemarkJSON"]),
        .target(name: "TidemarkListener", dependencies: ["CMicrohttpd", "TidemarkGzip", "TidemarkServer"]),

        // What people import, test with and type.
        .target(
            name: "Tidemark",
            dependencies: ["TidemarkCore", "TidemarkHTTP", "TidemarkJSON", "TidemarkMachine", "TidemarkSQLite"]),
        .target(
            name: "TidemarkTesting",
            dependencies: ["TidemarkCore", "TidemarkJSON", "TidemarkMachine", "TidemarkServer"]),
        .executableTarget(
            name: "TidemarkCLI", dependencies: ["Tidemark", "TidemarkListener", "TidemarkServer", "TidemarkTesting"]),
        .executableTarget(
            name: "TidemarkBench",
            dependencies: ["Tidemark", "TidemarkDatabase"]),
        .executableTarget(name: "draw-state-diagrams", dependencies: ["TidemarkMachine"]),
        .executableTarget(name: "count-instructions", dependencies: ["TidemarkCore", "TidemarkJSON"]),
        .executableTarget(
            name: "two-devices", dependencies: ["Tidemark", "TidemarkTesting"], path: "Examples/two-devices"),

        .testTarget(name: "TidemarkJSONTests", dependencies: ["TidemarkJSON"]),
        .testTarget(name: "TidemarkMachineTests", dependencies: ["TidemarkMachine", "TidemarkTesting"]),
        .testTarget(
            name: "TidemarkCoreTests",
            dependencies: ["TidemarkCore", "TidemarkJSON", "TidemarkMachine", "TidemarkServer", "TidemarkTesting"],
            exclude: ["Scenarios/SCENARIOS.txt"]),
        .testTarget(name: "TidemarkDatabaseTests", dependencies: ["TidemarkDatabase"]),
        .testTarget(name: "TidemarkGzipTests", dependencies: ["TidemarkGzip"]),
        .testTarget(
            name: "TidemarkSQLiteTests",
            dependencies: [
                "TidemarkCore", "TidemarkDatabase", "TidemarkJSON", "TidemarkMachine", "TidemarkSQLite",
                "TidemarkTesting",
            ]),
        // A server that answers with whatever bytes a test gives it.
        .target(name: "CannedHTTP", path: "Tests/CannedHTTP"),
        .testTarget(
            name: "TidemarkCarrierTests", dependencies: ["CannedHTTP", "TidemarkCarrier", "TidemarkGzip"]),
        .testTarget(
            name: "TidemarkHTTPTests",
            dependencies: [
                "CannedHTTP", "TidemarkCarrier", "TidemarkCore", "TidemarkGzip", "TidemarkHTTP", "TidemarkJSON",
                "TidemarkListener", "TidemarkMachine", "TidemarkServer", "TidemarkTesting",
            ]),
        .testTarget(name: "TidemarkServerTests", dependencies: ["TidemarkDatabase", "TidemarkJSON", "TidemarkServer"]),
        .testTarget(
            name: "TidemarkListenerTests",
            dependencies: ["TidemarkGzip", "TidemarkJSON", "TidemarkListener", "TidemarkServer"]),
        .testTarget(
            name: "TidemarkTests",
            dependencies: [
                "Tidemark", "TidemarkListener", "TidemarkMachine", "TidemarkServer", "TidemarkTesting",
                "count-instructions",
                "two-devices",
            ]),
        .testTarget(name: "TidemarkCLITests", dependencies: ["Tidemark", "TidemarkCLI"]),
    ]
)

// What `make fuzz` runs. It links under the fuzzer alone, which brings its own main, so no other build may see it.
if Context.environment["TIDEMARK_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "TidemarkFuzz",
            dependencies: ["TidemarkCore", "TidemarkGzip", "TidemarkJSON", "TidemarkMachine", "TidemarkServer"],
            path: "Fuzz", exclude: ["Corpus", "json.dict"]))
}

/// Targets that touch C: each touch is marked `unsafe`.
let fenced: Set<String> = [
    "TidemarkJSON", "TidemarkDatabase", "TidemarkCarrier", "TidemarkGzip", "TidemarkListener", "TidemarkSQLite",
    "TidemarkFuzz",
]

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
    if fenced.contains(target.name) {
        target.swiftSettings?.append(.strictMemorySafety())
    }
}
