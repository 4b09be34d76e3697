import Foundation
import Testing

@testable import TidemarkCLI

@Suite struct `Help` {
    static let names = Commands.all.map { $0.name }

    @Test(arguments: [["help"], ["--help"], ["-h"]])
    func `help lists every command`(_ words: [String]) throws {
        let run = try Workshop().run(words)
        #expect(run.status == 0)
        for name in Self.names { #expect(run.lines.contains { $0.hasPrefix("  \(name) ") }, "\(name)") }
    }

    @Test func `help lists the commands for new users first, then other commands by topic`() throws {
        let run = try Workshop().run("help")
        let titles = run.lines.filter { $0.hasSuffix(":") && !$0.hasPrefix(" ") }
        #expect(titles == Commands.sections.map { "\($0.title):" } + ["Exit codes:"])
        #expect(titles.first == "Start here:")
        let first = run.lines.drop { $0 != "Start here:" }.dropFirst().prefix { $0.hasPrefix("  ") }
        #expect(first.map { $0.split(separator: " ")[0] } == ["demo", "serve", "init", "create", "sync"])
    }

    @Test func `help fits a terminal of 80 columns, and aligns all summaries`() throws {
        let run = try Workshop().run("help")
        #expect(run.lines.filter { $0.count > 80 } == [])
        for command in Commands.all {
            #expect(
                run.lines.contains(
                    "  \(command.name)".padding(toLength: 18, withPad: " ", startingAt: 0) + command.summary))
        }
    }

    @Test(arguments: Self.names)
    func `help describes a command, with an example that names it`(_ name: String) throws {
        let words = name.split(separator: " ").map(String.init)
        let run = try Workshop().run(["help"] + words)
        #expect(run.status == 0)
        #expect(run.output.contains("usage:   tidemark \(name)"))
        #expect(
            run.output.split(separator: "\n").contains { $0.hasPrefix("example: ") && $0.contains("tidemark \(name)") })
        #expect(try Workshop().run(words + ["--help"]).output == run.output)
    }

    @Test func `help for an unknown command suggests the nearest`() throws {
        let run = try Workshop().run("help", "staus")
        #expect(run.status == 64)
        #expect(run.errors.contains("did you mean status?"))
    }

    @Test func `--version prints the version`() throws {
        #expect(try Workshop().run("--version").output == "\(TidemarkTool.version)\n")
    }

    @Test(arguments: ["json", "patch"])
    func `help describes the commands of a group`(_ group: String) throws {
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

    @Test func `help gives every exit status a meaning`() throws {
        let run = try Workshop().run("help")
        for status in ExitStatus.allCases {
            #expect(run.lines.contains { $0.hasPrefix("  \(status.code) ") && $0.hasSuffix(status.meaning) })
        }
    }
}
