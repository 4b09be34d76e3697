// swift-tools-version: 6.2

import PackageDescription

// What the App Store wants to know about the uses of `stat` and its like. Other systems have no use for it, and a resource would
// make every target that has one depend on Foundation.
#if os(macOS)
    let privacyManifest: [Resource] = [.copy("PrivacyInfo.xcprivacy")]
#else
    let privacyManifest: [Resource] = []
#endif

let package = Package(
    name: "tidemark",
    platforms: [.macOS(.v15), .iOS(.v18), .watchOS(.v11), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "Tidemark", targets: ["Tidemark"]),
        .library(name: "TidemarkAdapters", targets: ["TidemarkAdapters"]),
        .library(name: "TidemarkMachine", targets: ["TidemarkMachine"]),
        .library(name: "TidemarkJSON", targets: ["TidemarkJSON"]),
        .library(name: "TidemarkJSONStream", targets: ["TidemarkJSONStream"]),
        .library(name: "TidemarkRulesFile", targets: ["TidemarkRulesFile"]),
        .library(name: "TidemarkHTTPClient", targets: ["TidemarkHTTPClient"]),
        .library(name: "TidemarkServer", targets: ["TidemarkServer", "TidemarkListener"]),
        .library(name: "TidemarkPostgres", targets: ["TidemarkPostgres"]),
        .library(name: "TidemarkTesting", targets: ["TidemarkTesting"]),
        .library(name: "TidemarkSimulation", targets: ["TidemarkSimulation"]),
        .executable(name: "tidemark", targets: ["TidemarkCLI"]),
    ],
    traits: [
        .default(enabledTraits: ["FoundationTypes"]),
        .trait(
            name: "FoundationTypes",
            description: """
                Records with values of Foundation (Date, Data, Decimal, URL), and remotes by URL. A small app on Linux that has \
                none of them links no Foundation without this trait.
                """),
    ],
    targets: [
        // System libraries: module maps and shims, nothing else.
        .systemLibrary(
            name: "CYajl", pkgConfig: "yajl", providers: [.apt(["libyajl-dev"]), .brew(["yajl"])]),
        // Without pkg-config, as CZlib: for iOS it would name the library of the Mac that builds. Both are part of every system of
        // Apple's, and where the compiler looks by itself on Linux.
        .systemLibrary(name: "CSQLite"),
        .systemLibrary(
            name: "CMicrohttpd", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        .systemLibrary(name: "CZlib"),
        // The server's alone: an app uses the zlib of its system.
        .systemLibrary(
            name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"]), .brew(["libdeflate"])]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(
            name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        // The parts of the C library that each platform spells differently.
        .systemLibrary(name: "CSystem"),

        // The pure middle: no socket, no file, no clock can be imported here.
        .target(name: "TidemarkJSON"),
        .target(name: "TidemarkMachine"),
        // JSON that arrives in pieces, with yajl. The core does not depend on it: an app that imports Tidemark links no yajl.
        .target(name: "TidemarkJSONStream", dependencies: ["CYajl", "TidemarkJSON"]),
        // HTTP's fields: the wire and the HTTP client parse them in the same way, and neither imports the other.
        .target(name: "TidemarkHTTPFields"),

        // The decisions: rules of fields, tactics, and the changes they decide about. Pure values, told apart from the
        // engine so that no rule can reach a store, a remote or a clock; the machine is there because a conflict carries the
        // machine's own question (R22).
        .target(name: "TidemarkRules", dependencies: ["TidemarkJSON", "TidemarkMachine"]),
        // Rules written as a file. It makes rules and does not know their caller, so it does not depend on the core.
        .target(name: "TidemarkRulesFile", dependencies: ["TidemarkJSON", "TidemarkMachine", "TidemarkRules"]),

        // The engine, its client and its ports. It speaks of edits and pages, and neither of HTTP nor of files.
        .target(name: "TidemarkCore", dependencies: ["TidemarkJSON", "TidemarkMachine", "TidemarkRules"]),
        // Our own wire (SPEC §5): what an exchange is in the words of HTTP, and what an answer amounts to. For those who carry
        // it, over a socket or within the process; another server's remote has a separate wire.
        .target(
            name: "TidemarkWire",
            dependencies: ["TidemarkCore", "TidemarkHTTPFields", "TidemarkJSON", "TidemarkMachine"]),

        // The use of system libraries that the adapters share.
        .target(
            name: "TidemarkDatabase", dependencies: ["CSQLite", "CSystem"],
            exclude: privacyManifest.isEmpty ? ["PrivacyInfo.xcprivacy"] : [], resources: privacyManifest),
        .target(name: "TidemarkGzip", dependencies: ["CZlib"]),

        // HTTP without any idea of sync: no arrow leads from here to the core. Every remote over HTTP is built on it, ours and
        // those that others write, and each says itself what a failure means to a sync.
        .target(
            name: "TidemarkHTTPClient",
            dependencies: [
                "CSystem", "TidemarkGzip", "TidemarkHTTPFields",
                // Apple's systems bring URLSession, which knows their networks, proxies and certificates best.
                .target(name: "CCurl", condition: .when(platforms: [.linux, .android])),
            ]),

        // Adapters: each implements ports, and knows no other adapter.
        .target(
            name: "TidemarkSQLite",
            dependencies: ["TidemarkCore", "TidemarkDatabase", "TidemarkJSON", "TidemarkMachine", "TidemarkRules"]),
        .target(
            name: "TidemarkHTTP",
            dependencies: ["TidemarkHTTPClient", "TidemarkCore", "TidemarkMachine", "TidemarkRules", "TidemarkWire"]),

        // The reference server: a pure core with storage, and a listener on top.
        .target(name: "TidemarkServer", dependencies: ["TidemarkDatabase", "TidemarkHTTPFields", "TidemarkJSON"]),
        // Another storage for it, which several processes share. An app links none of it.
        .target(name: "TidemarkPostgres", dependencies: ["CPostgres", "TidemarkServer"]),
        .target(
            name: "TidemarkListener",
            dependencies: [
                "CDeflate", "CMicrohttpd", "CSystem", "TidemarkGzip", "TidemarkHTTPFields", "TidemarkJSON",
                "TidemarkServer",
            ]),

        // The libraries that apps and tests import, and the tool. `import Tidemark` exports neither the wire, which only
        // HTTPRemote uses, nor the reader of rules files, a separate product; of the machine it brings the names that snapshots
        // and failures speak of.
        .target(
            name: "Tidemark",
            dependencies: [
                "TidemarkCore", "TidemarkDatabase", "TidemarkHTTP", "TidemarkHTTPClient", "TidemarkJSON",
                "TidemarkMachine",
                "TidemarkRules", "TidemarkSQLite",
            ]),
        // For authors of a remote or of a store.
        .target(
            name: "TidemarkAdapters",
            dependencies: [
                "TidemarkCore", "TidemarkHTTP", "TidemarkHTTPClient", "TidemarkJSON", "TidemarkMachine",
                "TidemarkRules",
            ]),
        // For the tests of an app: a server, stores and a network in one process, and the contracts of store and remote as checks.
        .target(
            name: "TidemarkTesting",
            dependencies: [
                "TidemarkCore", "TidemarkJSON", "TidemarkMachine", "TidemarkRules", "TidemarkServer", "TidemarkWire",
            ]),
        // A seed decides what happens to devices and a server.
        .target(
            name: "TidemarkSimulation",
            dependencies: [
                "TidemarkCore", "TidemarkJSON", "TidemarkMachine", "TidemarkRules", "TidemarkRulesFile",
                "TidemarkServer", "TidemarkTesting", "TidemarkWire",
            ]),
        // Further tests of the guarantees, for contributors and not for apps. What is installed links
        // nothing of it.
        .target(
            name: "TidemarkProof",
            dependencies: [
                "TidemarkAdapters", "TidemarkCore", "TidemarkHTTPClient", "TidemarkJSON", "TidemarkMachine",
                "TidemarkRules", "TidemarkSimulation", "TidemarkTesting",
            ]),
        .executableTarget(
            name: "tidemark-proof",
            dependencies: ["CannedHTTP", "Tidemark", "TidemarkProof", "TidemarkSimulation", "TidemarkTesting"]),
        .executableTarget(
            name: "TidemarkCLI",
            dependencies: [
                "CSystem", "Tidemark", "TidemarkAdapters", "TidemarkHTTPClient", "TidemarkJSONStream",
                "TidemarkListener",
                "TidemarkPostgres", "TidemarkRulesFile", "TidemarkServer", "TidemarkTesting",
            ]),
        // Benchmarks, which no product contains. The first two are shared by the benchmark and by the process, like an app's,
        // that it measures.
        .target(
            name: "GeneratedRows", dependencies: ["Tidemark", "TidemarkCore", "TidemarkWire"],
            path: "Benchmarks/GeneratedRows"),
        .target(name: "ProcessFigures", dependencies: ["CSystem"], path: "Benchmarks/ProcessFigures"),
        .executableTarget(
            name: "pull-rows", dependencies: ["GeneratedRows", "ProcessFigures"], path: "Benchmarks/pull-rows"),
        .executableTarget(
            name: "TidemarkBench",
            dependencies: [
                "CSystem", "CYajl", "CannedHTTP", "GeneratedRows", "PostgresForTests", "ProcessFigures", "Tidemark",
                "TidemarkCore",
                "TidemarkHTTPClient", "TidemarkDatabase", "TidemarkGzip", "TidemarkListener", "TidemarkMachine",
                "TidemarkPostgres", "TidemarkServer", "TidemarkWire",
            ],
            path: "Benchmarks/TidemarkBench"),
        .executableTarget(
            name: "count-instructions",
            dependencies: [
                "TidemarkCore", "TidemarkJSON", "TidemarkMachine", "TidemarkRules", "TidemarkSQLite", "TidemarkWire",
            ],
            path: "Benchmarks/count-instructions"),
        // The tables as pages and drawings. No product links it: an app gets the tables alone.
        .target(name: "TidemarkDiagrams", dependencies: ["TidemarkMachine"]),
        .executableTarget(name: "draw-state-diagrams", dependencies: ["TidemarkDiagrams"]),
        .executableTarget(
            name: "many-servers",
            dependencies: [
                "PostgresForTests", "Tidemark", "TidemarkCore", "TidemarkHTTPClient", "TidemarkJSON", "TidemarkTesting",
            ]),
        .executableTarget(
            name: "two-devices", dependencies: ["Tidemark", "TidemarkTesting"], path: "Examples/two-devices"),
        .executableTarget(name: "minimal-app", dependencies: ["Tidemark"], path: "Examples/minimal-app"),

        // The code that tests of several targets share: no socket, and nothing of Tidemark.
        .target(name: "TestSupport", path: "Tests/TestSupport"),
        // The properties that hold for any input: libFuzzer tries millions of inputs, and a test those of the corpus.
        .target(
            name: "FuzzSubjects",
            dependencies: [
                "TidemarkCore", "TidemarkGzip", "TidemarkJSON", "TidemarkJSONStream", "TidemarkMachine",
                "TidemarkRules", "TidemarkRulesFile", "TidemarkServer", "TidemarkWire", "YajlReader",
            ],
            path: "Fuzz/Subjects"),
        .testTarget(name: "FuzzSubjectsTests", dependencies: ["FuzzSubjects"]),
        // A second parser of pages, from another project (yajl): tests and the fuzzer compare it with ours.
        .target(name: "YajlReader", dependencies: ["CYajl", "TidemarkJSON"], path: "Tests/YajlReader"),
        .testTarget(
            name: "TidemarkJSONTests",
            dependencies: ["TestSupport", "TidemarkJSON", "TidemarkJSONStream", "YajlReader"]),
        .testTarget(name: "TidemarkMachineTests", dependencies: ["TidemarkMachine", "TidemarkProof"]),
        .testTarget(name: "TidemarkDiagramsTests", dependencies: ["TidemarkDiagrams", "TidemarkMachine"]),
        .testTarget(name: "TidemarkHTTPFieldsTests", dependencies: ["TestSupport", "TidemarkHTTPFields"]),
        .testTarget(
            name: "TidemarkRulesTests",
            dependencies: ["TidemarkCore", "TidemarkJSON", "TidemarkMachine", "TidemarkRules", "TidemarkTesting"]),
        .testTarget(
            name: "TidemarkRulesFileTests",
            dependencies: ["TestSupport", "TidemarkJSON", "TidemarkMachine", "TidemarkRules", "TidemarkRulesFile"]),
        // A client whose requests wait, and answers of a test: the tests of the next three targets share it.
        .target(
            name: "CoreSupport",
            dependencies: [
                "TidemarkCore", "TidemarkJSON", "TidemarkMachine", "TidemarkRules", "TidemarkTesting", "TidemarkWire",
            ],
            path: "Tests/CoreSupport"),
        .testTarget(
            name: "TidemarkCoreTests",
            dependencies: [
                "CoreSupport", "TestSupport", "TidemarkCore", "TidemarkJSON", "TidemarkMachine", "TidemarkRules",
                "TidemarkRulesFile", "TidemarkServer", "TidemarkTesting",
            ]),
        .testTarget(
            name: "TidemarkClientTests",
            dependencies: [
                "CoreSupport", "TestSupport", "TidemarkCore", "TidemarkJSON", "TidemarkMachine", "TidemarkRules",
                "TidemarkServer", "TidemarkTesting",
            ]),
        .testTarget(
            name: "TidemarkScenarioTests",
            dependencies: [
                "CoreSupport", "TestSupport", "TidemarkCore", "TidemarkJSON", "TidemarkMachine", "TidemarkRules",
                "TidemarkServer", "TidemarkTesting", "TidemarkWire",
            ],
            exclude: ["Scenarios/SCENARIOS.txt"]),
        .testTarget(
            name: "TidemarkWireTests",
            dependencies: [
                "TestSupport", "TidemarkCore", "TidemarkHTTPFields", "TidemarkJSON", "TidemarkMachine", "TidemarkWire",
            ]),
        .testTarget(
            name: "TidemarkAdaptersTests",
            dependencies: [
                "TestSupport", "TidemarkAdapters", "TidemarkCore", "TidemarkHTTPClient", "TidemarkJSON",
                "TidemarkMachine",
                "TidemarkRules", "TidemarkTesting",
            ]),
        // Remotes for servers of others, as examples; each is tested over a fake of its server.
        .target(
            name: "RemoteExamples",
            dependencies: [
                "TidemarkAdapters", "TidemarkCore", "TidemarkHTTPClient", "TidemarkJSON", "TidemarkMachine",
                "TidemarkRules",
            ], path: "Examples/remotes"),
        .testTarget(
            name: "RemoteExamplesTests",
            dependencies: [
                "RemoteExamples", "TestSupport", "TidemarkAdapters", "TidemarkCore", "TidemarkHTTPClient",
                "TidemarkJSON", "TidemarkMachine", "TidemarkRules", "TidemarkTesting",
            ]),
        .testTarget(
            name: "TidemarkTestingTests",
            dependencies: [
                "TestSupport", "TidemarkCore", "TidemarkJSON", "TidemarkMachine", "TidemarkRules", "TidemarkTesting",
            ]),
        .testTarget(
            name: "TidemarkSimulationTests",
            dependencies: ["TidemarkCore", "TidemarkJSON", "TidemarkRules", "TidemarkSimulation"],
            exclude: ["Scripts"]),
        .testTarget(
            name: "TidemarkProofTests",
            dependencies: ["TestSupport", "TidemarkMachine", "TidemarkProof", "TidemarkSimulation", "tidemark-proof"]),
        .testTarget(name: "TidemarkDatabaseTests", dependencies: ["TestSupport", "TidemarkDatabase"]),
        .testTarget(name: "TidemarkGzipTests", dependencies: ["TidemarkGzip"]),
        .testTarget(
            name: "TidemarkSQLiteTests",
            dependencies: [
                "TestSupport", "TidemarkCore", "TidemarkDatabase", "TidemarkJSON", "TidemarkMachine", "TidemarkRules",
                "TidemarkSQLite", "TidemarkTesting",
            ]),
        // A disk below SQLite that breaks where a test wants it to.
        .target(
            name: "FaultyDisk", path: "Tests/FaultyDisk",
            // The functions of POSIX that strict C hides.
            cSettings: [.define("_XOPEN_SOURCE", to: "700", .when(platforms: [.linux]))],
            linkerSettings: [.linkedLibrary("sqlite3")]),
        .testTarget(
            name: "TidemarkCrashTests",
            dependencies: [
                "FaultyDisk", "TestSupport", "TidemarkCore", "TidemarkDatabase", "TidemarkJSON", "TidemarkMachine",
                "TidemarkRules", "TidemarkServer", "TidemarkSQLite", "TidemarkTesting", "TidemarkWire",
            ]),
        // A server that answers with whatever bytes a test gives it.
        .target(name: "CannedHTTP", dependencies: ["CSystem"], path: "Tests/CannedHTTP"),
        .testTarget(
            name: "TidemarkHTTPClientTests",
            dependencies: ["CannedHTTP", "TestSupport", "TidemarkHTTPClient", "TidemarkGzip"]),
        .testTarget(
            name: "TidemarkHTTPTests",
            dependencies: [
                "CannedHTTP", "TestSupport", "TidemarkHTTPClient", "TidemarkCore", "TidemarkGzip", "TidemarkHTTP",
                "TidemarkJSON",
                "TidemarkListener", "TidemarkMachine", "TidemarkRules", "TidemarkServer", "TidemarkTesting",
                "TidemarkWire",
            ]),
        // A PostgreSQL of the tests' own.
        .target(name: "PostgresForTests", dependencies: ["CPostgres"], path: "Tests/PostgresForTests"),
        .testTarget(
            name: "TidemarkServerTests",
            dependencies: [
                "PostgresForTests", "TestSupport", "TidemarkDatabase", "TidemarkJSON", "TidemarkPostgres",
                "TidemarkServer",
            ]),
        .testTarget(
            name: "TidemarkPostgresTests",
            dependencies: ["PostgresForTests", "TestSupport", "TidemarkJSON", "TidemarkPostgres", "TidemarkServer"]),
        .testTarget(
            name: "TidemarkListenerTests",
            dependencies: [
                "CSystem", "TestSupport", "TidemarkGzip", "TidemarkJSON", "TidemarkListener", "TidemarkServer",
            ]),
        .testTarget(
            name: "TidemarkTests",
            dependencies: [
                "TestSupport", "Tidemark", "TidemarkListener", "TidemarkMachine", "TidemarkServer", "TidemarkTesting",
                "count-instructions", "two-devices",
            ]),
        .testTarget(
            name: "TidemarkCLITests",
            dependencies: [
                "CSystem", "CannedHTTP", "PostgresForTests", "TestSupport", "Tidemark", "TidemarkAdapters",
                "TidemarkCLI",
                "TidemarkListener",
                "TidemarkRulesFile",
            ]),
    ]
)

// The program of `make fuzz`. It links under the fuzzer alone, which has its own main, so no other build may see it.
if Context.environment["TIDEMARK_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(name: "TidemarkFuzz", dependencies: ["FuzzSubjects"], path: "Fuzz/Target"))
}

/// Targets that touch C: each touch is marked `unsafe`.
let fenced: Set<String> = [
    "TidemarkJSON", "TidemarkDatabase", "TidemarkHTTPClient", "TidemarkGzip", "TidemarkListener", "TidemarkPostgres",
    "TidemarkSQLite", "TidemarkBench", "TidemarkFuzz", "TidemarkJSONStream", "YajlReader", "ProcessFigures",
]

/// Warnings are errors for those who change Tidemark: the Makefile and the scripts set the variable. In the build of an app they
/// are not: build systems suppress the warnings of a dependency, the compiler takes only one of both options, and a newer
/// compiler has new warnings.
let isStrict = Context.environment["TIDEMARK_STRICT"] == "1"

for target in package.targets where target.type != .system {
    var settings: [SwiftSetting] = isStrict ? [.treatAllWarnings(as: .error)] : []
    settings += [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
    if fenced.contains(target.name) {
        settings.append(.strictMemorySafety())
    }
    target.swiftSettings = settings
}
