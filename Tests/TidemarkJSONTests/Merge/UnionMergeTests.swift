import TestSupport
import Testing

@testable import TidemarkJSON

@Suite("Contract §4: an enum with a payload in a merge")
struct UnionMergeTests {
    /// A union of unions, optional and in a payload, as Swift writes it.
    indirect enum State: Codable, Equatable {
        case idle
        case run(n: Int, note: String?)
        case done(at: Int?, then: State?)
        case wait(State)
    }

    struct Job: Codable, Equatable {
        var state: State?
        var other: State
        var named: [String: State]
        var title: String
    }

    @Test(arguments: [
        // Two changes of the case: the client's.
        (#"{"idle":{}}"#, #"{"run":{"n":1}}"#, #"{"done":{"at":2}}"#, #"{"done":{"at":2}}"#),
        // The case here, the payload there, and the other way round.
        (#"{"run":{"n":1}}"#, #"{"run":{"n":2}}"#, #"{"idle":{}}"#, #"{"idle":{}}"#),
        (#"{"run":{"n":1}}"#, #"{"idle":{}}"#, #"{"run":{"n":2}}"#, #"{"run":{"n":2}}"#),
        // The same new case with two payloads, and payloads that are no objects.
        (#"{"idle":{}}"#, #"{"run":{"n":1,"m":1}}"#, #"{"run":{"n":2}}"#, #"{"run":{"n":2}}"#),
        (#"{"text":"a"}"#, #"{"url":"b"}"#, #"{"file":"c"}"#, #"{"file":"c"}"#),
    ])
    func `two changes of which one changes the case leave one case, and a clash of both values`(
        base: String, server: String, client: String, merged: String
    ) throws {
        for path in ["", "/k", "/o/k"] {
            func document(_ text: String) throws -> JSON {
                try path.split(separator: "/").reversed().reduce(JSON(parsing: text)) { [String($1): $0, "title": 1] }
            }
            let merge = JSONMerge.merge(
                base: try document(base), server: try document(server), client: try document(client))
            let pointer = try JSONPointer(parsing: path)
            #expect(merge.merged == (try document(merged)))
            #expect(merge.clashes.map(\.path.text) == [path])
            #expect(merge.clashes.first?.server == (try JSON(parsing: server)))
            #expect(merge.clashes.first?.client == (try JSON(parsing: client)))
            #expect(merge.patch == JSONPatch.diff(from: try document(server), to: merge.merged))
            #expect(merge.merged?[pointer: pointer]?.object != nil)
        }
    }

    @Test func `a union that the base lacks is one value as well`() throws {
        let merge = JSONMerge.merge(
            base: ["a": 1], server: ["a": 1, "k": ["run": ["n": 1]]], client: ["a": 1, "k": ["idle": [:]]])
        #expect(merge.merged == ["a": 1, "k": ["idle": [:]]])
        #expect(merge.clashes.map(\.path.text) == ["/k"])
    }

    @Test(arguments: [
        // The same case: its payload is merged by member.
        (#"{"run":{"n":1,"m":1}}"#, #"{"run":{"n":2,"m":1}}"#, #"{"run":{"n":1,"m":2}}"#, #"{"run":{"n":2,"m":2}}"#),
        // Both sides agree.
        (#"{"idle":{}}"#, #"{"run":{"n":1}}"#, #"{"run":{"n":1}}"#, #"{"run":{"n":1}}"#),
        // A dictionary: empty in the base, or with more members on a side.
        ("{}", #"{"a":{}}"#, #"{"b":{}}"#, #"{"a":{},"b":{}}"#),
        (#"{"a":1}"#, #"{"a":1,"b":2}"#, #"{"c":3}"#, #"{"b":2,"c":3}"#),
    ])
    func `no case changes, so members are merged`(base: String, server: String, client: String, merged: String) throws {
        let merge = JSONMerge.merge(
            base: ["k": try JSON(parsing: base)], server: ["k": try JSON(parsing: server)],
            client: ["k": try JSON(parsing: client)])
        #expect(merge.merged == ["k": try JSON(parsing: merged)])
        #expect(merge.clashes.isEmpty)
    }

    @Test(arguments: seeds)
    func `a merge of two changes of enums can always be decoded`(seed: UInt64) throws {
        var random = RandomJSON(seed: seed)
        for _ in 0..<300 {
            let base = Self.job(&random)
            let (server, client) = (Self.edited(base, &random), Self.edited(base, &random))
            for start in [base, nil] {
                let merge = JSONMerge.merge(
                    base: try start.map { try JSON(encoding: $0) }, server: try JSON(encoding: server),
                    client: try JSON(encoding: client))
                let merged = try #require(merge.merged)
                let job = try merged.decode(Job.self)
                #expect(try JSON(encoding: job) == merged)
                #expect(merge.patch == JSONPatch.diff(from: try JSON(encoding: server), to: merged))
                guard start != nil else { continue }
                if client.state == base.state { #expect(job.state == server.state) }
                if server.state == base.state { #expect(job.state == client.state) }
            }
        }
    }

    private static func state(_ random: inout RandomJSON, depth: Int = 2) -> State {
        let number = Int.random(in: 0...2, using: &random.random)
        switch Int.random(in: 0..<(depth > 0 ? 4 : 2), using: &random.random) {
        case 0: return .idle
        case 1: return .run(n: number, note: random.random.oneIn(2) ? "a" : nil)
        case 2:
            return .done(
                at: random.random.oneIn(2) ? number : nil,
                then: random.random.oneIn(2) ? nil : Self.state(&random, depth: depth - 1))
        default: return .wait(Self.state(&random, depth: depth - 1))
        }
    }

    private static func job(_ random: inout RandomJSON) -> Job {
        Job(
            state: random.random.oneIn(3) ? nil : Self.state(&random), other: Self.state(&random),
            named: random.random.oneIn(2) ? [:] : ["a": Self.state(&random), "b": Self.state(&random)], title: "t")
    }

    private static func edited(_ job: Job, _ random: inout RandomJSON) -> Job {
        var job = job
        for _ in 0..<Int.random(in: 0...3, using: &random.random) {
            switch Int.random(in: 0..<4, using: &random.random) {
            case 0: job.state = random.random.oneIn(4) ? nil : Self.state(&random)
            case 1: job.other = Self.state(&random)
            case 2: job.named[random.random.pick("a", "b", "c")] = Self.state(&random)
            default: job.title += "x"
            }
        }
        return job
    }
}
