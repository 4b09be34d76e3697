import Foundation
import RemoteExamples
import Synchronization
import Testing
import TidemarkAdapters
import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON
import TidemarkTesting

private let url = ProcessInfo.processInfo.environment["KINTO_URL"]
private let backend = ProcessInfo.processInfo.environment["KINTO_BACKEND"]

/// The same tests against a real server, at the URL in `KINTO_URL`, which `scripts/kinto` starts.
@Suite(.enabled(if: url != nil), .serialized) struct `RealKinto` {
    /// PostgreSQL returns the members of a row in another order than in the answer to its write, and this check compares bytes.
    static let checks = RemoteConformance.checks(for: KintoServer { _ in HTTPAnswer(status: 500) }.capabilities)
        .filter { backend != "postgresql" || $0.name != "W1 an edit changes only the record that it names" }

    /// Sends requests as a new user, whose bucket “default” is empty.
    private func send() throws -> Send {
        let client = try HTTPClient(url: try #require(url), auth: .basic(UUID().uuidString, "secret"))
        return { try await client.send($0) }
    }

    /// Reads the present records with one request.
    private func rows(_ send: Send) async throws -> [String: JSON] {
        let answer = try await send(HTTPRequest("GET", "/buckets/default/collections/notes/records"))
        let rows = try JSON(parsing: answer.body)["data"]?.array ?? []
        return Dictionary(uniqueKeysWithValues: rows.compactMap { row in row["id"]?.string.map { ($0, row) } })
    }

    @Test(arguments: Self.checks)
    func `the remote passes the checks of its capabilities`(check: RemoteConformance.Check) async throws {
        let send = try self.send()
        try await check.run { RowRemote(KintoServer(send: send)) }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `two devices over a bad network end equal to the server`(seed: UInt64) async throws {
        let server = try self.send()
        let form = Story.Form(comparesNumberText: false)
        let end = try await Story(seed: seed, form: form).run(server: server, rows: { try await self.rows(server) }) {
            _, send in
            RowRemote(KintoServer(send: send))
        }
        #expect(end.differences.isEmpty && end.lost.isEmpty, "\(end)")
    }

    @Test func `100 edits take 6 requests`() async throws {
        let send = try self.send()
        let count = Mutex(0)
        let phone = try device(
            over: RowRemote(
                KintoServer { request in
                    count.withLock { $0 += 1 }
                    return try await send(request)
                }))
        for number in 1...100 { try await phone["notes"].create(["n": .number(JSONNumber(number))], pk: "r\(number)") }
        let report = try await phone.sync()
        #expect(report.outcome == .inSync)
        #expect(count.withLock { $0 } == 6)
        #expect(try await self.rows(send).count == 100)
    }

    @Test func `four devices that write at once lose no last edit`() async throws {
        let send = try self.send()
        let clock = ManualClock()
        let devices = try (0..<4).map { try device(over: RowRemote(KintoServer(send: send)), clock: clock, seed: $0) }
        for pk in ["a", "b"] { try await devices[0]["notes"].create(["n": 0], pk: pk) }
        _ = try await devices[0].sync()
        for device in devices { _ = try await device.sync() }
        try await withThrowingTaskGroup { group in
            for (number, device) in devices.enumerated() {
                group.addTask {
                    for round in 1...10 {
                        for pk in ["a", "b"] {
                            try await device["notes"][pk].edit { $0["d\(number)"] = .number(JSONNumber(round)) }
                        }
                        _ = try await device.sync()
                    }
                }
            }
            try await group.waitForAll()
        }
        // A device that met others too often waits, or holds its edit.
        for _ in 1...10 {
            clock.advance(by: .seconds(600))
            for device in devices {
                _ = try await device.sync()
                for held in try await device["notes"].status.held { try await device["notes"][held.pk].retry() }
            }
        }
        let rows = try await self.rows(send)
        for pk in ["a", "b"] {
            for number in 0..<4 { #expect(rows[pk]?["d\(number)"] == 10, "\(rows)") }
            for device in devices { #expect(try await device["notes"][pk].get() == rows[pk]) }
        }
    }
}
