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
        #expect(
            run.output.split(separator: "\n").contains { $0.hasPrefix("example: ") && $0.contains("tidemark \(name)") })
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

    @Test(arguments: ["json", "patch"])
    func `describes the commands of a group`(_ group: String) throws {
        for words in [[group, "--help"], [group, "-h"], ["help", group]] {
            let run = try Workshop().run(words)
            #expect(run.status == 0)
            for name in Self.names where name.hasPrefix("\(group) ") {
                #expect(
                    run.output.contains("usage:   tidemark \(name)") && run.output.contains("example: tidemark \(name)")
                )
            }
        }
    }

    @Test func `gives every exit status a meaning`() throws {
        let run = try Workshop().run("help")
        for status in ExitStatus.allCases {
            #expect(run.lines.contains { $0.hasPrefix("  \(status.code) ") && $0.hasSuffix(status.meaning) })
        }
    }
}
