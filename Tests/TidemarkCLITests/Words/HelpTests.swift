import Foundation
import Testing

@testable import TidemarkCLI

@Suite struct `Help` {
    static let names = Commands.all.map { $0.name }

    @Test(arguments: [["help"], ["--help"], ["-h"]])
    func `lists every command`(_ words: [String]) throws {
        let run = try Workshop().run(words)
        #expect(run.status == 0)
        for name in Self.names { #expect(run.lines.contains { $0.hasPrefix("  \(name) ") }, "\(name)") }
    }

    @Test(arguments: Self.names)
    func `describes a command, with an example that names it`(_ name: String) throws {
        let words = name.split(separator: " ").map(String.init)
        let run = try Workshop().run(["help"] + words)
        #expect(run.status == 0)
        #expect(run.output.contains("usage:   tidemark \(name)"))
        #expect(run.output.contains("example: tidemark \(name)"))
        #expect(try Workshop().run(words + ["--help"]).output == run.output)
    }

    @Test func `of a command that is not there names the nearest`() throws {
        let run = try Workshop().run("help", "staus")
        #expect(run.status == 64)
        #expect(run.errors.contains("did you mean status?"))
    }

    @Test func `tells the version`() throws {
        #expect(try Workshop().run("--version").output == "\(TidemarkTool.version)\n")
    }
}
