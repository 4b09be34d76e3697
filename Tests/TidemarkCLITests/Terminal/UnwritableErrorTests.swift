import Foundation
import Testing

@testable import TidemarkCLI

/// A standard error that can't be written: a full disk, a closed stream, a pipe whose reader has ended.
@Suite struct `Unwritable standard error` {
    let shop: Workshop

    init() throws {
        self.shop = try Workshop()
    }

    /// Runs a line in a shell, in which `$0` is the tool; returns its output.
    private func shell(_ line: String) throws -> String {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", line, try Workshop.tool().path]
        process.currentDirectoryURL = self.shop.folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return output
    }

    static let places = ["2>/dev/full", "2>&-", "2> >(:)", "2</dev/null"]

    @Test(arguments: Self.places)
    func `No exit status changes (unwritable-standard-error)`(_ place: String) throws {
        #expect(try self.shell("exec \(place); \"$0\" list --store nope.db notes; echo $?") == "1\n")
        #expect(try self.shell("exec \(place); \"$0\" synk; echo $?") == "64\n")
        #expect(try self.shell("exec \(place); \"$0\" forget --store nope.db; echo $?") == "64\n")
        try self.shop.write(#"[{"id":1}]"#, to: "in.json")
        let done = try self.shell("exec \(place); \"$0\" import --store a.db notes in.json --pk id; echo $?")
        #expect(done == "0\n")
        #expect(try self.shop.done("list", "--store", "a.db", "notes") == "1\tCREATED.idle\t{\"id\":1}\n")
    }

    @Test(arguments: Self.places)
    func `A server still answers and stops cleanly (unwritable-standard-error)`(_ place: String) throws {
        try self.shop.done("create", "--store", "a.db", "notes", "1", #"{"n":1}"#)
        let output = try self.shell(
            """
            coproc server { exec \(place); exec "$0" serve --store server.db --listen 127.0.0.1:0; }
            read -r line <&${server[0]}
            "$0" init --store a.db --remote "${line#listening on }" 2>&1
            "$0" sync --store a.db
            kill -TERM $server_PID
            wait $server_PID
            echo $?
            """)
        #expect(output.hasSuffix("notes: sent 1, received 0; in sync\n0\n"), "\(output)")
    }

    @Test func `A closed stream is not mistaken for a file that is opened later`() throws {
        try self.shop.write("{\"a\":1,\"a\":2}", to: "in.json")
        #expect(try self.shell("exec 0<&- 1>&- 2>&-; \"$0\" json check in.json") == "")
        #expect(try String(contentsOfFile: self.shop.path("in.json"), encoding: .utf8) == "{\"a\":1,\"a\":2}")
        #expect(try self.shell("\"$0\" --version 1>&- 2>/dev/null; echo $?") == "1\n")
    }

    @Test func `The descriptor of a closed standard stream is not used for a file or connection`() async {
        await #expect(processExitsWith: .success) {
            for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] { close(descriptor) }
            StandardStreams.keepPlaces()
            exit(open("/dev/null", O_RDWR) > STDERR_FILENO ? 0 : 1)
        }
    }
}
