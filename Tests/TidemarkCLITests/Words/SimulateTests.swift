import Foundation
import Testing
import Tidemark

@Suite struct `Simulate` {
    private let workshop: Workshop

    init() throws {
        self.workshop = try Workshop()
    }

    @Test func `the same seeds are the same runs, in another process and on another store`() throws {
        let words = ["simulate", "--seeds", "3..6", "--steps", "200", "--json"]
        var digests: Set<String> = []
        for more in [[], [], ["--store", "sqlite"]] {
            let run = try self.workshop.run(words + more)
            #expect(run.status == 0, "\(run.output)\(run.errors)")
            let report = try JSON(parsing: run.output)
            #expect(
                report.object?.keys == [
                    "seed", "runs", "clients", "steps", "requests", "seconds", "faults", "violations", "converged",
                    "digest",
                ])
            #expect(report.runs == 4)
            #expect(report.steps == 800)
            #expect(report.violations == [])
            #expect(report.converged == true)
            digests.insert(try #require(report.digest?.string))
        }
        #expect(digests.count == 1)
    }

    @Test(arguments: ["memory", "sqlite"])
    func `several tasks use a client at once where that is asked for`(store: String) throws {
        let run = try self.workshop.run(
            "simulate", "--concurrent", "--seeds", "1..2", "--steps", "200", "--store", store, "--json")
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        let report = try JSON(parsing: run.output)
        #expect(report.object?.keys == ["runs", "calls", "requests", "seconds", "seed", "violations"])
        #expect(report.runs == 2)
        #expect(report.violations == [])
    }

    @Test func `nothing befalls anyone but what is named`() throws {
        let run = try self.workshop.run(
            "simulate", "--seed", "3", "--clients", "3", "--steps", "300", "--faults", "drop,dup", "--json")
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        let report = try JSON(parsing: run.output)
        #expect(report.seed == 3)
        #expect(report.clients == 3)
        #expect(report.faults?.object?.keys == ["drop", "dup"])
        let none = try self.workshop.run("simulate", "--seed", "3", "--steps", "300", "--faults", "none", "--json")
        #expect(try JSON(parsing: none.output).faults == [:])
        #expect(try JSON(parsing: none.output).steps == 300)
    }

    @Test func `a script is performed, and told step by step`() throws {
        let file = self.workshop.folder.appending(path: "script.txt")
        try Data("devices 2\n\nphone create notes a v1\nphone sync notes\n".utf8).write(to: file)
        let run = try self.workshop.run("simulate", "--script", file.path, "--tell")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.hasPrefix("phone create notes a v1\n    phone: a created, absent → CREATED.idle\n"))
        #expect(run.output.contains("1 run, 2 steps"))
    }

    @Test func `the script of a seed is printed, and does what the seed does`() throws {
        let file = self.workshop.folder.appending(path: "script.txt")
        let script = try self.workshop.run("simulate", "--seed", "7", "--steps", "40", "--print").output
        try Data(script.utf8).write(to: file)
        let performed = try self.workshop.run("simulate", "--script", file.path, "--json")
        let drawn = try self.workshop.run("simulate", "--seed", "7", "--steps", "40", "--json")
        #expect(try JSON(parsing: performed.output).digest == JSON(parsing: drawn.output).digest)
    }

    @Test func `a line of a script that is none is named`() throws {
        let file = self.workshop.folder.appending(path: "script.txt")
        try Data("devices 2\nphone dances\n".utf8).write(to: file)
        let run = try self.workshop.run("simulate", "--script", file.path)
        #expect(run.status == 1)
        #expect(run.errors.contains("line 2: “phone dances” is no step"))
    }

    @Test(arguments: [
        (["--seeds", "5..1"], "--seeds 5..1 is no range of seeds"), (["--seed", "x"], "--seed x is no whole number"),
        (["--seed", "1", "--seeds", "1..2"], "--seed and --seeds are not to be given together"),
        (["--faults", "drop,rain"], "--faults drop,rain has “rain”, which is none of drop, dup"),
        (["--store", "disk"], "--store disk is neither"),
        (["--clients", "9"], "--clients 9 is not a number from 2 to 8"),
        (["--script", "x", "--steps", "3"], "--script says all that --steps would"),
        (["--concurrent", "--shrink"], "--shrink is for runs that can be repeated"),
        (["--concurrent", "--clients", "1"], "--clients 1 is not a number from 2 to 8"),
    ])
    func `wrong usage is said`(words: [String], message: String) throws {
        let run = try self.workshop.run(["simulate"] + words)
        #expect(run.status == 64)
        #expect(run.errors.contains(message), "\(run.errors)")
    }
}
