import Foundation
import TestSupport
import Testing

@Suite struct `The style` {
    /// One breach of the style: a line, and its file.
    private struct Breach {
        var path: String
        var text: String
    }

    /// The lines of `scripts/style.examples`, which are not in this file, since they would break its style; each in a separate
    /// folder.
    private static let breaches: [Breach] =
        ((try? Checkout.text(of: "scripts/style.examples")) ?? "").split(separator: "\n").enumerated().map {
            let (number, parts) = ($0, $1.split(separator: ": ", maxSplits: 1))
            let path = String(parts.first ?? "").split(separator: "/")
            let folders = path.dropLast() + (path.count == 1 ? [] : ["example\(number)"])
            return Breach(path: (folders + path.suffix(1)).joined(separator: "/"), text: String(parts.last ?? ""))
        } + [Breach(path: "Sources/long/A.swift", text: String(repeating: "//\n", count: 601))]

    private let script = Checkout.url("scripts/style")

    @Test func `the style has an example for each way to break it`() {
        #expect(Self.breaches.count == 35)
    }

    @Test(arguments: [
        #"let a = line.utf8.split(separator: UInt8(ascii: " "))"#,
        #"let a = line.unicodeScalars.split(separator: " ")"#,
        #"let a = name.split(separator: " ")  // own text: our names"#,
        "// own text: our names\nlet a = name.hasPrefix(\"a\")", "/// if path.hasPrefix(\"a\") {}",
    ])
    func `the style allows to split text by bytes and scalars, and to split our own names`(_ text: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(text, to: "Sources/A.swift")
        try folder.write("\n", to: "Tests/ATests.swift")
        let run = try ProgramRun(self.script, [folder.url.path])
        #expect(run.status == 0, "\(run.output)")
    }

    @Test func `each breach of the style is reported, and no other file`() throws {
        let folder = try TemporaryFolder()
        try folder.write("\n", to: "Sources/B.swift")
        try folder.write("\n", to: "Tests/BTests.swift")
        #expect(try ProgramRun(self.script, [folder.url.path]).status == 0)
        for breach in Self.breaches { try folder.write(breach.text, to: breach.path) }
        let run = try ProgramRun(self.script, [folder.url.path])
        #expect(run.status == 1)
        for breach in Self.breaches {
            #expect(run.output.contains(breach.path), "\(breach.path): \(breach.text.prefix(100))")
        }
        #expect(!run.output.contains("B.swift") && !run.output.contains("BTests.swift"), "\(run.output)")
    }
}

@Suite struct `The rules of the specification` {
    @Test func `every rule of the specification is named by a test`() throws {
        let run = try ProgramRun(Checkout.url("scripts/rules"))
        #expect(run.status == 0, "\(run.output.split(separator: "\n").last ?? "")")
    }
}
