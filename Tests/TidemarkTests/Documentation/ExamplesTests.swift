import Foundation
import TestSupport
import Testing

/// `make docs` compiles all examples of the pages.
@Suite struct `The examples of the documentation` {
    @Test func `an example that does not compile is reported with its page and line`() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            """
            /// Makes a note.
            ///
            /// ```swift
            /// try await notes.create(["title": "Milk"], pk: "42")
            /// try await notes.creat(["title": "Oats"], pk: "43")
            /// ```
            func create() {}
            """, to: "Note.swift")
        let run = try self.examples(in: folder.url)
        #expect(run.status == 1)
        #expect(run.output.contains("Note.swift:5:"), "\(run.output)")
    }

    @Test func `an example with a needless await is reported, since that is a warning`() throws {
        let folder = try TemporaryFolder()
        try folder.write("```swift\nawait print(path)\n```\n", to: "Page.md")
        let run = try self.examples(in: folder.url)
        #expect(run.status == 1)
        #expect(run.output.contains("Page.md:2:"), "\(run.output)")
    }

    /// Compiles with the modules that were built with these tests.
    private func examples(in folder: URL) throws -> ProgramRun {
        let modules = try Checkout.product("tidemark").deletingLastPathComponent().appendingPathComponent("Modules")
        return try ProgramRun(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["MODULES=\(modules.path)", Checkout.url("scripts/examples").path, folder.path])
    }
}
