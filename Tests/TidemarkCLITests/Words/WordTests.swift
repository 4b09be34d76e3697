import Testing
import TidemarkListener

@testable import TidemarkCLI

@Suite struct `Command line arguments` {
    @Test(arguments: [
        ("8MiB", 8 << 20), ("500kB", 500_000), ("65536", 65_536), ("1GiB", 1 << 30), ("2k", 2_048),
        ("1gb", 1_000_000_000),
    ])
    func `A size has a number and a unit`(_ text: String, _ bytes: Int) {
        #expect(ByteSize(text)?.bytes == bytes)
    }

    @Test(arguments: ["", "MiB", "-1", "1.5MiB", "0", "8XB", "99999999999GiB", "1 MiB"])
    func `An invalid size is rejected`(_ text: String) {
        #expect(ByteSize(text) == nil)
    }

    @Test(arguments: [
        ("90d", Duration.seconds(7_776_000)), ("30s", .seconds(30)), ("500ms", .milliseconds(500)),
        ("2h", .seconds(7_200)),
    ])
    func `A time span has a number and a unit`(_ text: String, _ span: Duration) {
        #expect(TimeSpan(text)?.duration == span)
    }

    @Test(arguments: ["", "d", "90", "0s", "-1s", "1y"])
    func `An invalid time span is rejected`(_ text: String) {
        #expect(TimeSpan(text) == nil)
    }

    @Test func `--watches also limits one address, since a proxy is one address`() throws {
        var settings = ListenerSettings()
        try ServeCommand.limit(
            &settings, try Arguments(["--store", "a.db", "--watches", "9000"], for: ServeCommand.self))
        #expect(settings.watchesPerAddress == 9_000)
    }

    @Test func `Arguments after two dashes, and negative numbers, are not options`() throws {
        let input = try Arguments(
            ["--store=a.db", "notes", "--", "--json", "-5"], for: EditCommand.self)
        #expect(input.positions == ["notes", "--json", "-5"])
        #expect(input.value(Option.store) == "a.db")
        #expect(try Arguments(["--store", "a", "n", "1", "/x", "-5"], for: EditCommand.self).positions.last == "-5")
    }
}
