import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@testable import TidemarkCore

@Suite struct `Replaying a trace` {
    private func trace() throws -> SyncTrace {
        let scenario = try SyncScenario(configuration: SyncConfiguration(traceLimit: 1_000))
        try scenario.phone.create(["n": 1], pk: "42")
        try scenario.settle()
        try scenario.phone.edit("42") { $0.n = 2 }
        try scenario.tablet.edit("42") { $0.n = 3 }
        try scenario.sync(scenario.tablet)
        try scenario.settle()
        return try scenario.phone.engine.storedTrace()
    }

    /// The step with another target phase, or with another action.
    private func changed(_ step: SyncTrace.Step) -> SyncTrace.Step? {
        switch step {
        case .record(var trace):
            if trace.actions.has(.save) { trace.actions.remove(.save) } else { trace.actions.insert(.save) }
            return .record(trace)
        case .exchange(var trace):
            trace.target = trace.target == .paused ? .idle : .paused
            return .exchange(trace)
        case .opened, .forgotten: return nil
        }
    }

    @Test func `a replay finds one changed entry, and names its line`() throws {
        let trace = try self.trace()
        for index in trace.entries.indices {
            guard let step = self.changed(trace.entries[index].step) else { continue }
            var planted = trace
            planted.entries[index].step = step
            let differences = planted.differences()
            #expect(differences.first?.line == index + 2)
            let lines = planted.text.split(separator: "\n")
            #expect(try SyncTrace(parsing: planted.text).differences() == differences)
            #expect(lines[index + 1] != trace.text.split(separator: "\n")[index + 1])
        }
    }

    @Test func `a replay finds a missing entry by the phase of the next one`() throws {
        let trace = try self.trace()
        let sent = try #require(trace.records.first { $0.event == .sent })
        let index = try #require(trace.entries.firstIndex { $0.step == .record(sent) })
        var shorter = trace
        shorter.entries.remove(at: index)
        let difference = try #require(shorter.differences().first)
        #expect(difference.message == "the record was CREATED.idle, and “accepted” begins in CREATED.uploading")
    }

    @Test func `a replay names the transition that the machine takes`() {
        let step = SyncTrace.Step.record(
            RecordTrace(
                collection: "notes", pk: "42", event: .edited, source: .synced, target: .edited(.held), actions: .save))
        let trace = SyncTrace(entries: [.init(number: 1, step: step)])
        #expect(
            trace.differences().map(\.description) == [
                "line 2: “edited” leads from SYNCD to EDITED.idle (save, notify), and not to EDITED.held (save)"
            ])
    }

    @Test func `a replay finds impossible events, and records sent outside a POST`() {
        func record(_ event: RecordEvent, _ source: RecordPhase, _ target: RecordPhase, _ actions: RecordActions)
            -> SyncTrace.Step
        {
            .record(
                RecordTrace(
                    collection: "notes", pk: "42", event: event, source: source, target: target, actions: actions))
        }
        let steps: [SyncTrace.Step] = [
            .opened(collection: "notes"),
            record(.accepted, .synced, .synced, []),
            record(.edited, .synced, .edited(.idle), [.save, .notify]),
            record(.sent, .edited(.idle), .edited(.uploading), .save),
            .exchange(
                ExchangeTrace(
                    collection: "notes", event: .dueToGet, source: .idle, target: .getting, actions: .get)),
            record(.edited, .edited(.unconfirmed), .edited(.unconfirmed), [.save, .notify]),
        ]
        let trace = SyncTrace(entries: steps.enumerated().map { .init(number: Int64($0 + 1), step: $1) })
        #expect(
            trace.differences().map(\.description) == [
                "line 3: “accepted” can't occur in SYNCD",
                "line 6: a record is sent while the exchange is getting",
                "line 7: the record was EDITED.uploading, and “edited” begins in EDITED.unconfirmed",
            ])
    }

    @Test func `a replay of some collections, or some entries, is possible`() throws {
        let trace = try self.trace()
        #expect(trace.of(["notes"]) == trace)
        #expect(trace.of(["tasks"]).entries.isEmpty)
        for kept in [2, 3, 5] {
            #expect(SyncTrace(entries: trace.entries.suffix(kept)).differences() == [])
        }
    }
}
