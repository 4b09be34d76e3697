import Foundation
import TestSupport
import Testing

@Suite struct `The style` {
    /// One way to break it: a line, and the file that it is in.
    struct Breach: Sendable, CustomTestStringConvertible {
        var path: String
        var text: String

        var testDescription: String {
            self.text.count < 80 ? "\(self.path): \(self.text)" : "\(self.path): a long file"
        }
    }

    /// The lines of `scripts/style.examples`, which can't stand here without breaking it here.
    static let breaches: [Breach] =
        ((try? Checkout.text(of: "scripts/style.examples")) ?? "").split(separator: "\n").map { line in
            let parts = line.split(separator: ": ", maxSplits: 1)
            return Breach(path: String(parts.first ?? ""), text: String(parts.last ?? ""))
        } + [Breach(path: "Sources/A.swift", text: String(repeating: "//\n", count: 401))]

    private let script = Checkout.url("scripts/style")

    @Test func `is kept by this package`() throws {
        let run = try ProgramRun(self.script)
        #expect(run.status == 0, "\(run.output)")
    }

    @Test func `has an example for each way to break it`() {
        #expect(Self.breaches.count == 32)
    }

    @Test(arguments: [
        #"let a = line.utf8.split(separator: UInt8(ascii: " "))"#,
        #"let a = line.unicodeScalars.split(separator: " ")"#,
        #"let a = name.split(separator: " ")  // own text: our names"#,
        "// own text: our names\nlet a = name.hasPrefix(\"a\")", "/// if path.hasPrefix(\"a\") {}",
    ])
    func `lets text be taken apart by its bytes and scalars, and our own as we like`(_ text: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(text, to: "Sources/A.swift")
        try folder.write("\n", to: "Tests/ATests.swift")
        let run = try ProgramRun(self.script, [folder.url.path])
        #expect(run.status == 0, "\(run.output)")
    }

    @Test(arguments: Self.breaches)
    func `is found broken`(_ breach: Breach) throws {
        let folder = try TemporaryFolder()
        try folder.write("\n", to: "Sources/B.swift")
        try folder.write("\n", to: "Tests/BTests.swift")
        #expect(try ProgramRun(self.script, [folder.url.path]).status == 0)
        try folder.write(breach.text, to: breach.path)
        let run = try ProgramRun(self.script, [folder.url.path])
        #expect(run.status == 1)
        #expect(run.output.contains(breach.path), "\(run.output)")
    }
}

@Suite struct `The rules of the specification` {
    @Test func `are all named by a test`() throws {
        let run = try ProgramRun(Checkout.url("scripts/rules"))
        #expect(run.status == 0, "\(run.output.split(separator: "\n").last ?? "")")
    }
}
