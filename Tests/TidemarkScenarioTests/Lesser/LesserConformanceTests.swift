import Synchronization
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// A remote for lesser servers, one for each collection.
struct LesserRemote: Remote {
    private final class Servers: Sendable {
        let byName = Mutex<[CodePointString: LesserServer.State]>([:])
    }

    let quirks: LesserServer.Quirks
    let capabilities: RemoteCapabilities
    private let servers = Servers()

    init(_ quirks: LesserServer.Quirks, as declared: RemoteCapabilities? = nil) throws {
        self.quirks = quirks
        self.capabilities = try declared ?? LesserServer(quirks).capabilities
    }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        do {
            return try self.servers.byName.withLock { servers in
                let server = LesserServer(self.quirks, state: servers[CodePointString(request.collection)])
                defer { servers[CodePointString(request.collection)] = server.state }
                return try server.exchange(request)
            }
        } catch {
            throw (error as? RemoteFailure) ?? RemoteFailure(.invalidAnswer, "\(error)")
        }
    }
}

@Suite struct `Conformance to declared capabilities (Contract §12)` {
    typealias Case = (quirks: LesserServer.Quirks, check: RemoteConformance.Check)

    static let quirks = [
        LesserServer.Quirks(), LesserServer.Quirks(addsMembers: true), LesserServer.Quirks(roundsNumbers: true),
        LesserServer.Quirks(makesNames: true), LesserServer.Quirks(makesNames: true, findsByUID: true),
        LesserServer.Quirks(addsMembers: true, makesNames: true, findsByUID: true),
        LesserServer.Quirks(listsEverything: true),
    ]

    static let cases: [Case] = Self.quirks.flatMap { quirks -> [Case] in
        guard let capabilities = try? LesserServer(quirks).capabilities else { return [] }
        return RemoteConformance.checks(for: capabilities).map { (quirks, $0) }
    }

    @Test(.serialized, arguments: Self.cases)
    func `a server that keeps its declaration passes the checks`(test: Case) async throws {
        try await test.check.run { try LesserRemote(test.quirks) }
    }

    @Test func `a server that falsely declares judgesSeen fails its checks (W8)`() async throws {
        var declared = try LesserServer(LesserServer.Quirks()).capabilities
        let without = RemoteConformance.checks(for: declared).map(\.name)
        declared.judgesSeen = true
        let checks = RemoteConformance.checks(for: declared).filter { !without.contains($0.name) }
        #expect(checks.count == 4)
        for check in checks {
            await #expect(throws: ConformanceFailure.self) {
                try await check.run { try LesserRemote(LesserServer.Quirks(), as: declared) }
            }
        }
    }

    static let falseDeclarations: [(LesserServer.Quirks, String)] = [
        (LesserServer.Quirks(addsMembers: true), "a row has the sent content"),
        (LesserServer.Quirks(roundsNumbers: true), "numbers keep their value"),
        (LesserServer.Quirks(makesNames: true), "a create that arrives twice"),
        (LesserServer.Quirks(ignoresVersions: true), "a change of an older version"),
    ]

    @Test(arguments: Self.falseDeclarations)
    func `a server with a false declaration fails its check`(quirks: LesserServer.Quirks, words: String) async throws {
        var declared = try LesserServer(LesserServer.Quirks()).capabilities
        // A server that assigns names can't declare that clients do: no edit would find its record.
        if quirks.makesNames { declared.names = .member(JSONPointer(tokens: ["uid"])) }
        let checks = RemoteConformance.checks(for: declared).filter { $0.name.contains(words) }
        #expect(checks.count == 1)
        for check in checks {
            await #expect(throws: ConformanceFailure.self) {
                try await check.run { try LesserRemote(quirks, as: declared) }
            }
        }
    }
}
