import Foundation
import TestSupport
import Testing

/// The tool of contributors: `tidemark-proof`.
@Suite(.timeLimit(.minutes(10))) struct ProofToolTests {
    /// The result of the tool.
    private struct Run {
        var status: Int32
        var output: String
        var errors: String

        /// The word after “digest”.
        var digest: Substring? { self.output.split(separator: "\n").first?.split(separator: " ").last }
    }

    private func run(_ words: [String]) throws -> Run {
        let folders =
            [URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()]
            + Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
        let tool = try #require(
            folders.map { $0.appendingPathComponent("tidemark-proof") }
                .first { FileManager.default.isExecutableFile(atPath: $0.path) })
        let folder = try TemporaryFolder()
        let names = ["out", "err"]
        for name in names { try folder.write("", to: name) }
        let process = Process()
        process.executableURL = tool
        process.arguments = words
        process.standardOutput = try FileHandle(forWritingTo: folder.url.appending(path: "out"))
        process.standardError = try FileHandle(forWritingTo: folder.url.appending(path: "err"))
        try process.run()
        process.waitUntilExit()
        let texts = try names.map { String(decoding: try folder.read($0), as: UTF8.self) }
        return Run(status: process.terminationStatus, output: texts[0], errors: texts[1])
    }

    @Test func `a seed repeats its run in another process and on another store`() throws {
        var digests: Set<String> = []
        for more in [[], [], ["--store", "sqlite"]] {
            let run = try self.run(["simulate", "--seeds", "3..6", "--steps", "200"] + more)
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.output.hasPrefix("4 runs, 800 steps, "))
            digests.insert(String(try #require(run.digest)))
        }
        #expect(digests.count == 1)
    }

    /// The phone of this seed gets change notifications of several collections at once. Each process orders hashed elements
    /// differently.
    @Test func `a seed with several notifications at once repeats its run in each process`() throws {
        let runs = try (0..<8).map { _ in try self.run(["simulate", "--seed", "147", "--steps", "1000"]) }
        #expect(runs.allSatisfy { $0.status == 0 })
        #expect(Set(runs.map(\.digest)).count == 1)
    }

    @Test(arguments: ["memory", "sqlite"])
    func `the option --concurrent runs several tasks on one client`(store: String) throws {
        let run = try self.run(
            ["simulate", "--concurrent", "--seeds", "1..2", "--steps", "200", "--store", store])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.hasPrefix("2 runs, "))
    }

    @Test func `a printed script repeats the run of its seed and is told step by step`() throws {
        let folder = try TemporaryFolder()
        let script = folder.path("script.txt")
        let seed = ["simulate", "--seed", "7", "--steps", "40"]
        try folder.write(try self.run(seed + ["--print"]).output, to: "script.txt")
        #expect(try self.run(["simulate", "--script", script]).digest == self.run(seed).digest)
        try folder.write("devices 2\n\nphone create notes a v1\nphone sync notes\n", to: "script.txt")
        let told = try self.run(["simulate", "--script", script, "--tell"])
        #expect(told.output.hasPrefix("phone create notes a v1\n    phone: a created, absent → CREATED.idle\n"))
        try folder.write("devices 2\nphone dances\n", to: "script.txt")
        let none = try self.run(["simulate", "--script", script])
        #expect(none.status == 1)
        #expect(none.errors.contains("line 2: “phone dances” is neither a step"))
    }

    @Test func `an exploration without inputs to use each row names the rows that are left`() throws {
        let run = try self.run(["explore", "--inputs", "1"])
        #expect(run.status == 1, "\(run.output)")
        #expect(run.output.hasPrefix("explored the run loop: "))
        #expect(run.output.contains("\n  never "))
        #expect(!run.output.contains("broken"))
    }

    @Test func `the transcript of a seed is the same in another process and on another store`() throws {
        let words = ["transcript", "--seeds", "3..6", "--steps", "100", "--group", "2", "--form"]
        func lines(_ form: String) throws -> [Substring] {
            let run = try self.run(words + [form])
            #expect(run.status == 0, "\(run.errors)")
            return run.output.split(separator: "\n")
        }
        let inMemory = try lines("memory")
        #expect(inMemory.count == 2)
        #expect(inMemory.first?.hasPrefix("memory 3..4 ") == true)
        #expect(try lines("memory") == inMemory)
        #expect(try lines("sqlite").map { $0.dropFirst(7) } == inMemory.map { $0.dropFirst(7) })
        let facts = try self.run(["transcript", "--seed", "3", "--steps", "100", "--form", "late", "--print"])
        #expect(facts.output.contains("\nrequests\t"))
    }

    @Test(arguments: [
        (["explore", "--inputs", "few"], "--inputs few is not a whole number above 0"),
        (["simulate", "--seeds", "5..1"], "--seeds 5..1 is not a range of seeds"),
        (["simulate", "--seed", "x"], "--seed x is not a whole number"),
        (["simulate", "--seed", "1", "--seeds", "1..2"], "--seed and --seeds exclude each other"),
        (["simulate", "--faults", "drop,rain"], "--faults drop,rain has “rain”, which is not one of drop, dup"),
        (["simulate", "--store", "disk"], "--store disk is neither"),
        (["simulate", "--clients", "9"], "--clients 9 is not a number from 2 to 8"),
        (["simulate", "--script", "x", "--steps", "3"], "--script replaces --steps"),
        (["simulate", "--concurrent", "--shrink"], "--shrink is for runs that can be repeated"),
        (["simulate", "--sed", "1"], "“--sed” is not an option"),
        (["turns", "--workers", "5"], "--workers 5 is not a number from 2 to 4"),
        (["turns", "--worker", "1"], "--worker is for processes that the command starts"),
        (["transcript", "--form", "disk"], "--form disk is not one of memory, sqlite, unconditional"),
        (["dance"], "“dance” is not a command"),
    ])
    func `wrong usage is refused with a reason and the right usage`(words: [String], message: String) throws {
        let run = try self.run(words)
        #expect(run.status == 64)
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(run.errors.contains("usage: tidemark-proof explore"))
    }

    /// Without the comparison of the log's header about a fifth of the copies would mix two states.
    @Test func `copies beside a process that writes and is killed are whole`() throws {
        let run = try self.run(["copies", "--copies", "200"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.hasPrefix("200 copies, "), "\(run.output)")
    }

    @Test func `processes that use one store in turns lose no change and send none twice`() throws {
        let run = try self.run(["turns", "--operations", "600", "--workers", "3", "--seed", "7"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains(" operations of 3 processes, "), "\(run.output)")
        #expect(run.output.hasSuffix(": nothing is lost, and nothing is there twice\n"))
    }
}
