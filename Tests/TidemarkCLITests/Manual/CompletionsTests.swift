import Foundation
import Testing

@testable import TidemarkCLI

@Suite struct `Completions` {
    @Test func `The completions have every command and every option`() throws {
        let text = try Workshop().done("completions")
        for command in Commands.all {
            let lines = text.split(separator: "\n").filter { $0.contains("'\(command.name)')") }
            #expect(!lines.isEmpty, "\(command.name)")
            for option in command.options {
                #expect(lines.contains { $0.contains(option.name) }, "\(command.name) \(option.name)")
            }
        }
    }

    @Test func `bash accepts its completions, which offer matching words`() throws {
        let shop = try Workshop()
        try shop.write(try shop.done("completions"), to: "completions")
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
            offer tidemark help compl
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
                "resign", "check canonical --help", "--wait", "server client", "--rules", "completions", "",
                "export explain", "",
            ], "\(output)")
    }

    @Test func `A quote in a text does not end the quoted text for the shell`() {
        #expect("a server's".inShellQuotes == #"'a server'\''s'"#)
    }
}
