// swift-tools-version: 6.2

import PackageDescription

// What the App Store wants to know about the uses of `stat` and its like. Other systems have no use for it, and a resource would
// make every target that has one depend on Foundation.
#if os(macOS)
    let privacyManifest: [Resource] = [.copy("PrivacyInfo.xcprivacy")]
#else
    let privacyManifest: [Resource] = []
#endif

/// The values, the tables and the rules.
let rules: [Target.Dependency] = ["TidemarkJSON", "TidemarkMachine", "TidemarkRules"]
/// The engine, with the types of its functions.
let core = rules + ["TidemarkCore"]

/// A target in another folder than `Sources` and `Tests`.
func part(of folder: String, _ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "\(folder)/\(name)")
}

func program(of folder: String, _ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: "\(folder)/\(name)")
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: ["TestSupport"] + dependencies, exclude: exclude)
}

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
        .library(name: "TidemarkInspector", targets: ["TidemarkInspector"]),
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

        // The decisions: rules of fields, tactics, the changes they decide about, and the machine of a record. Pure values, told
        // apart from the engine so that none of them can reach a store, a remote or a clock.
        .target(name: "TidemarkRules", dependencies: ["TidemarkJSON", "TidemarkMachine"]),
        // Rules written as a file. It makes rules and does not know their caller, so it does not depend on the core.
        .target(name: "TidemarkRulesFile", dependencies: rules),

        // The engine, its client and its ports. It speaks of edits and pages, and neither of HTTP nor of files.
        .target(name: "TidemarkCore", dependencies: rules),
        // Our own wire (Contract §5): what an exchange is in the words of HTTP, and what an answer amounts to. For those who carry
        // it, over a socket or within the process; another server's remote has a separate wire.
        .target(name: "TidemarkWire", dependencies: core + ["TidemarkHTTPFields"]),

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
        .target(name: "TidemarkSQLite", dependencies: core + ["TidemarkDatabase"]),
        .target(name: "TidemarkHTTP", dependencies: core + ["TidemarkHTTPClient", "TidemarkWire"]),

        // The reference server: a pure core with storage, and a listener on top.
        .target(name: "TidemarkServer", dependencies: ["TidemarkDatabase", "TidemarkHTTPFields", "TidemarkJSON"]),
        // Another storage for it, which several processes share. An app links none of it.
        .target(name: "TidemarkPostgres", dependencies: ["CPostgres", "TidemarkServer"]),
        .target(
            name: "TidemarkListener",
            dependencies: [
                "CDeflate", "CMicrohttpd", "CSystem", "TidemarkGzip", "TidemarkHTTPFields", "TidemarkServer",
            ]
        ),

        // The libraries that apps and tests import, and the tool. `import Tidemark` exports neither the wire, which only
        // HTTPRemote uses, nor the reader of rules files, a separate product; of the machine it brings the names that snapshots
        // and failures speak of.
        .target(name: "Tidemark", dependencies: core + ["TidemarkDatabase", "TidemarkHTTP", "TidemarkSQLite"]),
        // What a store has, and why, as a page for a browser.
        .target(name: "TidemarkInspector", dependencies: core + ["CSystem"], exclude: ["Page"]),
        // For authors of a remote or of a store.
        .target(name: "TidemarkAdapters", dependencies: core + ["TidemarkHTTP"]),
        // For the tests of an app: a server, stores and a network in one process, and the contracts of store and remote as checks.
        .target(name: "TidemarkTesting", dependencies: core + ["TidemarkServer", "TidemarkWire"]),
        // A seed decides what happens to devices and a server.
        .target(
            name: "TidemarkSimulation",
            dependencies: core + ["TidemarkAdapters", "TidemarkRulesFile", "TidemarkTesting"]),
        .executableTarget(
            name: "TidemarkCLI",
            dependencies: [
                "Tidemark", "TidemarkAdapters", "TidemarkCore", "TidemarkInspector", "TidemarkJSONStream",
                "TidemarkListener", "TidemarkPostgres", "TidemarkRulesFile", "TidemarkSQLite", "TidemarkTesting",
            ]),

        // For contributors; nothing that is installed links these. Further tests of the guarantees:
        .target(name: "TidemarkProof", dependencies: ["TidemarkSimulation"]),
        .executableTarget(
            name: "tidemark-proof",
            dependencies: ["CannedHTTP", "Tidemark", "TidemarkCore", "TidemarkDatabase", "TidemarkListener"]
                + ["TidemarkProof", "TidemarkTesting"]),
        .executableTarget(name: "many-servers", dependencies: ["PostgresForTests", "Tidemark", "TidemarkTesting"]),
        // The tables as pages and drawings.
        .target(name: "TidemarkDiagrams", dependencies: ["TidemarkMachine"]),
        .executableTarget(name: "draw-state-diagrams", dependencies: ["TidemarkDiagrams"]),

        // Benchmarks. The first two are shared by the benchmark and by the process, like an app's, that it measures.
        part(of: "Benchmarks", "GeneratedRows", ["Tidemark"]),
        part(of: "Benchmarks", "ProcessFigures", ["CSystem"]),
        program(of: "Benchmarks", "pull-rows", ["GeneratedRows", "ProcessFigures"]),
        program(
            of: "Benchmarks", "TidemarkBench",
            ["CYajl", "CannedHTTP", "GeneratedRows", "ProcessFigures", "TidemarkListener", "TidemarkPostgres"]
                + ["PostgresForTests", "TidemarkTesting"]),
        program(of: "Benchmarks", "count-instructions", core + ["TidemarkSQLite", "TidemarkWire"]),

        program(of: "Examples", "two-devices", ["Tidemark", "TidemarkTesting"]),
        program(of: "Examples", "minimal-app", ["Tidemark"]),
        // Remotes for servers of others; each is tested over a fake of its server.
        .target(name: "RemoteExamples", dependencies: ["TidemarkAdapters"], path: "Examples/remotes"),
        // An app with lists, forms, conflicts and undo: its view models, its views, and a front end for a terminal.
        .executableTarget(
            name: "planner", dependencies: ["Tidemark"], path: "Examples/planner", exclude: ["Tests"]),
        .testTarget(
            name: "PlannerTests", dependencies: ["TestSupport", "Tidemark", "TidemarkTesting", "planner"],
            path: "Examples/planner/Tests"),

        // What tests of several targets share: of Tidemark only its random generator; a client whose requests wait; a server that
        // answers with whatever bytes a test gives it; a PostgreSQL; a second parser of pages (yajl); a disk below SQLite that
        // breaks.
        part(of: "Tests", "TestSupport", ["TidemarkCore"]),
        part(of: "Tests", "CoreSupport", core + ["TidemarkTesting"]),
        part(of: "Tests", "CannedHTTP", ["CSystem"]),
        part(of: "Tests", "PostgresForTests", ["CPostgres"]),
        part(of: "Tests", "YajlReader", ["CYajl", "TidemarkJSON"]),
        .target(
            name: "FaultyDisk", path: "Tests/FaultyDisk",
            // The functions of POSIX that strict C hides.
            cSettings: [.define("_XOPEN_SOURCE", to: "700", .when(platforms: [.linux]))],
            linkerSettings: [.linkedLibrary("sqlite3")]),
        // The properties that hold for any input: libFuzzer tries millions of inputs, and a test those of the corpus.
        .target(
            name: "FuzzSubjects",
            dependencies: core + [
                "TidemarkGzip", "TidemarkInspector", "TidemarkJSONStream", "TidemarkRulesFile", "TidemarkServer",
                "TidemarkWire", "YajlReader",
            ], path: "Fuzz/Subjects"),

        tests("FuzzSubjectsTests", ["FuzzSubjects"]),
        tests("RemoteExamplesTests", ["CoreSupport", "PostgresForTests", "RemoteExamples", "TidemarkTesting"]),
        tests("TidemarkAdaptersTests", ["TidemarkAdapters", "TidemarkTesting"]),
        tests("TidemarkCLITests", ["CannedHTTP", "PostgresForTests", "TidemarkCLI"]),
        tests("TidemarkClientTests", ["CoreSupport"]),
        tests("TidemarkCoreTests", ["CoreSupport", "TidemarkRulesFile"]),
        tests("TidemarkCrashTests", ["FaultyDisk", "TidemarkSQLite", "TidemarkTesting"]),
        tests("TidemarkDatabaseTests", ["TidemarkDatabase"]),
        tests("TidemarkDiagramsTests", ["TidemarkDiagrams"]),
        tests("TidemarkGzipTests", ["TidemarkGzip"]),
        tests("TidemarkHTTPClientTests", ["CannedHTTP", "TidemarkHTTPClient"]),
        tests("TidemarkHTTPFieldsTests", ["TidemarkHTTPFields"]),
        tests("TidemarkHTTPTests", ["CannedHTTP", "TidemarkHTTP", "TidemarkListener", "TidemarkTesting"]),
        tests("TidemarkInspectorTests", ["CSystem", "TidemarkInspector", "TidemarkTesting"]),
        tests("TidemarkJSONTests", ["TidemarkJSONStream", "YajlReader"]),
        tests("TidemarkListenerTests", ["TidemarkListener"]),
        tests("TidemarkMachineTests", rules),
        tests("TidemarkPostgresTests", ["PostgresForTests", "TidemarkPostgres"]),
        tests("TidemarkProofTests", ["TidemarkProof", "tidemark-proof"]),
        tests("TidemarkRulesFileTests", ["TidemarkRulesFile"]),
        tests("TidemarkRulesTests", ["TidemarkTesting"]),
        tests("TidemarkScenarioTests", ["CoreSupport"], exclude: ["Scenarios/SCENARIOS.txt"]),
        tests("TidemarkServerTests", ["PostgresForTests", "TidemarkPostgres"]),
        tests("TidemarkSimulationTests", ["CoreSupport", "TidemarkSimulation"], exclude: ["Scripts"]),
        tests("TidemarkSQLiteTests", ["TidemarkSQLite", "TidemarkTesting"]),
        tests("TidemarkTestingTests", ["TidemarkTesting"]),
        tests(
            "TidemarkTests", ["Tidemark", "TidemarkListener", "TidemarkTesting", "count-instructions", "two-devices"]),
        tests("TidemarkWireTests", ["TidemarkWire"]),
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

/// Optimized in the debug builds of those who change Tidemark, too, with all assertions: the tests spend most of their time in
/// these targets. An app's debug build has them as they are.
let optimized: Set<String> = [
    "TidemarkCore", "TidemarkJSON", "TidemarkJSONStream", "TidemarkMachine", "TidemarkRules", "TidemarkServer",
    "TidemarkSimulation", "TidemarkSQLite", "TidemarkWire",
]

for target in package.targets where target.type != .system {
    var settings: [SwiftSetting] = isStrict ? [.treatAllWarnings(as: .error)] : []
    if isStrict, optimized.contains(target.name) {
        settings.append(.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug)))
    }
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
