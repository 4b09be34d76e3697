import Foundation
import Testing
import Tidemark

@Suite struct `Explore` {
    @Test func `plays the small world through, and finds every promise kept (I7)`() throws {
        let run = try Workshop().run("explore", "--json")
        #expect(run.status == 0, "\(run.output)")
        let report = try JSON(parsing: run.output)
        #expect(report.object?.keys == ["world", "states", "steps", "seconds", "rows", "violation"])
        #expect(report.world == "small")
        #expect(try #require(report.states?.int) > 1_000)
        #expect(report.violation == .null)
        let (total, taken) = (report.rows?.total?.int, report.rows?.taken?.int)
        #expect(try #require(total) - (try #require(taken)) == report.rows?.never?.array?.count)
    }

    @Test func `knows two worlds`() throws {
        let run = try Workshop().run("explore", "--world", "medium")
        #expect(run.status == 64)
        #expect(run.errors.contains("--world medium is neither small nor large"))
    }
}
