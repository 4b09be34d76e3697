import Foundation
import Testing
import Tidemark

@Suite struct `Explore` {
    // The whole of it runs where the machines are tested, and large in CI.
    @Test func `says of each world, and of all, what it came to (I7)`() throws {
        let run = try Workshop().run("explore", "--only", "put back", "--json")
        #expect(run.status == 0, "\(run.output)")
        let report = try JSON(parsing: run.output)
        #expect(report.object?.keys == ["world", "states", "steps", "seconds", "rows", "worlds", "violation"])
        #expect(report.world == "small")
        #expect(try #require(report.states?.int) > 1_000)
        #expect(report.violation == .null)
        let (total, taken) = (report.rows?.total?.int, report.rows?.taken?.int)
        #expect(try #require(total) - (try #require(taken)) == report.rows?.never?.array?.count)
        let worlds = try #require(report.worlds?.array)
        #expect(worlds.first?.object?.keys == ["name", "states", "steps", "seconds", "taken", "rows"])
        #expect(worlds.compactMap(\.states?.int).reduce(0, +) == report.states?.int)
    }

    @Test func `plays one world of several, by its name`() throws {
        let run = try Workshop().run("explore", "--only", "a counter")
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("a counter: "))
        #expect(run.output.contains("every promise was kept"))
        #expect(!run.output.contains("never"))
    }

    @Test func `names what is in the name of no world`() throws {
        let run = try Workshop().run("explore", "--only", "ants")
        #expect(run.status == 64)
        #expect(run.errors.contains("no world of small has “ants” in its name"))
    }

    @Test func `knows two worlds`() throws {
        let run = try Workshop().run("explore", "--world", "medium")
        #expect(run.status == 64)
        #expect(run.errors.contains("--world medium is neither small nor large"))
    }
}
