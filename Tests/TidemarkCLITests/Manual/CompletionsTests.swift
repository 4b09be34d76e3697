import Foundation
import Testing

@testable import TidemarkCLI

@Suite struct `Completions and manual` {
    @Test(arguments: Shell.allCases)
    func `The completions have every command and every option`(_ shell: Shell) throws {
        let text = try Workshop().done("completions", shell.rawValue)
        for command in Commands.all {
            let lines = text.split(separator: "\n").filter { line in
                switch shell {
                case .bash, .zsh: line.contains("'\(command.name)')")
                case .fish:
                    command.name.split(separator: " ").allSatisfy { line.contains("__fish_seen_subcommand_from \($0)") }
                }
            }
            for word in command.name.split(separator: " ") { #expect(text.contains(word)) }
            #expect(shell == .fish || !lines.isEmpty, "\(command.name)")
            for option in command.options {
                let name = shell == .fish ? "-l \(option.name.dropFirst(2)) " : option.name
                #expect(lines.contains { $0.contains(name) }, "\(command.name) \(option.name)")
            }
        }
    }

    @Test func `The manual has every command, every option and every exit status`() throws {
        let text = try Workshop().done("manual").replacing("\\-", with: "-")
        for command in Commands.all {
            let start = try #require(text.range(of: ".SS \"tidemark \(command.name)\"\n"), "\(command.name)")
            let section = text[start.upperBound...].split(separator: "\n.SS ").first ?? ""
            for option in command.options { #expect(section.contains("\\fB\(option.words)\\fR"), "\(option.name)") }
        }
        for status in ExitStatus.allCases { #expect(text.contains(".TP\n\\fB\(status.code)\\fR\n")) }
    }

    @Test func `bash accepts its completions, which offer matching words`() throws {
        let shop = try Workshop()
        try shop.write(try shop.done("completions", "bash"), to: "completions")
        try shop.write(
            """
            set -eu
            source ./completions
            offer() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tidemark; echo "${COMPREPLY[*]:-}"; }
            offer tidemark resi
            offer tidemark json ''
            offer tidemark sync --w
            offer tidemark resolve --store a.db notes 1 --take ''
            offer tidemark patch merge --ru
            offer tidemark completions ''
            offer tidemark list --store ''
            offer tidemark help exp

            """, to: "script")
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["script"]
        process.currentDirectoryURL = shop.folder
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(
            output.split(separator: "\n", omittingEmptySubsequences: false) == [
                "resign", "check canonical --help", "--wait", "server client", "--rules", "bash zsh fish", "",
                "export explain", "",
            ], "\(output)")
    }

    @Test func `A quote in a text does not end the quoted text for the shell`() {
        #expect("a server's".inShellQuotes == #"'a server'\''s'"#)
    }
}
