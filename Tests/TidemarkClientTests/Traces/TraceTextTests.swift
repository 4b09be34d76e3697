import TidemarkJSON
import TidemarkMachine
import Testing

@testable import TidemarkCore

@Suite struct `A trace as text` {
    /// Every possible transition of both tables, each with a separate record or collection.
    static var everything: SyncTrace {
        var steps: [SyncTrace.Step] = []
        for phase in RecordPhase.allCases {
            for event in RecordEvent.allCases {
                guard let (target, actions) = Self.outcome(of: event, in: phase) else { continue }
                steps.append(
                    .record(
                        RecordTrace(
                            collection: "notes", pk: "\(phase) “\(event)”\n", event: event, source: phase,
                            target: target, actions: actions)))
            }
        }
        for phase in ExchangePhase.allCases {
            for event in ExchangeEvent.allCases {
                guard let (target, actions) = Self.outcome(of: event, in: phase) else { continue }
                steps.append(
                    .exchange(
                        ExchangeTrace(
                            collection: "\(phase)/\(event)", event: event, source: phase, target: target,
                            actions: actions, failure: steps.count.isMultiple(of: 2) ? .busy : nil,
                            time: steps.count.isMultiple(of: 3) ? .milliseconds(1_700_000_000_000) : nil)))
            }
        }
        steps += [.opened(collection: "notes"), .forgotten(collection: "tasks")]
        return SyncTrace(entries: steps.enumerated().map { SyncTrace.Entry(number: Int64($0 + 1), step: $1) })
    }

    private static func outcome(of event: RecordEvent, in phase: RecordPhase) -> (RecordPhase, RecordActions)? {
        switch phase.transition(on: event) {
        case .move(let target, let actions): (target, actions)
        case .stay: (phase, [])
        case .impossible: nil
        }
    }

    private static func outcome(of event: ExchangeEvent, in phase: ExchangePhase) -> (ExchangePhase, ExchangeActions)? {
        switch phase.transition(on: event) {
        case .move(let target, let actions): (target, actions)
        case .stay: (phase, [])
        case .impossible: nil
        }
    }

    @Test func `every event of both machines survives a text round trip, and replays`() throws {
        let trace = Self.everything
        let events = Set(
            trace.entries.map { entry in
                switch entry.step {
                case .record(let trace): "record \(trace.event)"
                case .exchange(let trace): "exchange \(trace.event)"
                case .opened, .forgotten: "store"
                }
            })
        #expect(events.count == RecordEvent.allCases.count + ExchangeEvent.allCases.count + 1)
        let again = try SyncTrace(parsing: trace.text)
        #expect(again == trace)
        #expect(again.text == trace.text)
        #expect(trace.differences() == [])
    }

    @Test func `a line of a trace has the documented format`() {
        let trace = SyncTrace(entries: [
            .init(number: 1, step: .opened(collection: "notes")),
            .init(
                number: 2,
                step: .record(
                    RecordTrace(
                        collection: "notes", pk: "42", event: .edited, source: .synced, target: .edited(.idle),
                        actions: [.save, .notify]))),
            .init(
                number: 3,
                step: .exchange(
                    ExchangeTrace(
                        collection: "notes", event: .dueToPost, source: .idle, target: .posting, actions: .post,
                        time: .seconds(1_700_000_000)))),
        ])
        #expect(
            trace.text == """
                {"tidemark":"trace","version":3}
                {"n":1,"of":"store","collection":"notes","event":"opened"}
                {"n":2,"of":"record","collection":"notes","pk":"42","event":"edited","from":"SYNCD","to":"EDITED.idle","actions":["save","notify"]}
                {"n":3,"of":"exchange","collection":"notes","event":"dueToPost","from":"idle","to":"posting","actions":["post"],"at":1700000000000}

                """)
    }

    static let head = "{\"tidemark\":\"trace\",\"version\":3}\n"
    static let edited =
        #"{"n":2,"of":"record","collection":"c","pk":"1","event":"edited","from":"SYNCD","to":"EDITED.idle","actions":[]}"#

    @Test(arguments: [
        ("", 1, 1, "It is empty"),
        ("\n", 1, 1, ""),
        ("[]", 1, 1, "This is not a trace"),
        ("{\"tidemark\":\"trace\"}", 1, 1, "The version of the trace is missing"),
        ("{\"tidemark\":\"trace\",\"version\":2}", 1, 31, "This trace has version 2"),
        ("{\"tidemark\":\"trace\",\"version\":4}", 1, 31, "This trace has version 4"),
        (head + "{\"n\":1,", 2, 8, ""),
        (head + "\n", 2, 1, ""),
        (head + "{\"n\":0}", 2, 6, "“n” has to be a whole number"),
        (head + "{\"n\":1e400}", 2, 6, "“n” has to be a whole number"),
        (head + "{\"n\":1,\"collection\":7}", 2, 21, "“collection” has to be a text"),
        (head + "{\"n\":1,\"collection\":\"c\",\"of\":\"moon\"}", 2, 30, "“moon” is not a known “of”"),
        (head + edited.replacing("edited", with: "edted"), 2, 56, "“edted” is not a known “event”"),
        (head + edited.replacing("EDITED.idle", with: "EDITED.busy"), 2, 85, "“EDITED.busy” is not a known “to”"),
        (head + edited.replacing("[]", with: "[\"save\",3]"), 2, 109, "“3” is not a known “actions”"),
        (head + edited.replacing("[]", with: "{}"), 2, 109, "“actions” has to be a list"),
        (head + edited + "\n" + edited, 3, 6, "Number 2 follows number 2"),
        (head + String(repeating: "[", count: 100_000), 2, 513, ""),
        (head + "{\"n\":1,\"collection\":\"\u{0}\"}", 2, 22, ""),
    ])
    func `text that is no trace is refused with line and column`(text: String, line: Int, column: Int, message: String)
    {
        let error = #expect(throws: JSONError.self) { try SyncTrace(parsing: text) }
        #expect(error?.line == line)
        #expect(error?.column == column)
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }

    @Test func `a trace with a time out of range is refused`() {
        let line =
            #"{"n":2,"of":"exchange","collection":"c","event":"answerApplied","from":"getting","to":"getting","actions":[],"at":9223372036854775807}"#
        let error = #expect(throws: JSONError.self) { try SyncTrace(parsing: Self.head + line) }
        #expect(error?.message.hasPrefix("“at” has to be") == true, "\(error?.message ?? "")")
    }

    @Test func `a trace that is not UTF-8 is refused with its line`() {
        let error = #expect(throws: JSONError.self) { try SyncTrace(parsing: Array(Self.head.utf8) + [0xFF]) }
        #expect(error?.line == 2)
    }
}
