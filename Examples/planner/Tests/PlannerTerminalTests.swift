import TestSupport
import Tidemark
import TidemarkTesting
import Testing

@testable import planner

/// The planner in the terminals of two devices, as transcripts: a device's name and a command, then the answer.
@Suite(.timeLimit(.minutes(10))) @MainActor struct PlannerTerminalTests {
    let terminals: [String: PlannerTerminal]

    init() async throws {
        let server = try InProcessServer()
        func device(_ seed: UInt64) throws -> PlannerTerminal {
            PlannerTerminal(
                try SyncClient(
                    store: .sqliteInMemory(), remote: InProcessRemote(server), configuration: .planner(),
                    time: server.clock, seed: seed))
        }
        self.terminals = ["phone": try device(1), "tablet": try device(2)]
    }

    /// Types the commands of a transcript again; the result is the transcript with the present answers.
    private func type(_ transcript: String) async throws -> String {
        var result = ""
        for line in transcript.split(separator: "\n") where line.contains("> ") {
            let parts = line.split(separator: ">", maxSplits: 1)
            let terminal = try #require(self.terminals[String(parts[0])])
            result += line + "\n" + (await terminal.answer(String(parts[1])))
        }
        return result
    }

    @Test func `two devices share a list, and every field is merged by its rule`() async throws {
        let transcript = """
            phone> add list Home
            phone> add todo Milk #food
            phone> add todo Bread
            phone> status
            3 not sent, 0 to decide
            phone> sync
            Up to date
            tablet> sync
            Up to date
            tablet> lists
            1 Home
            tablet> open 1
            tablet> show
            1 Bread
            2 Milk #food
            tablet> vote 2
            tablet> start 2
            phone> show
            1 Bread
            2 Milk #food
            phone> vote 2
            phone> edit 2 title Oat milk
            phone> done 1
            phone> show
            1 Oat milk +1 #food …
            phone> sync
            Up to date
            tablet> sync
            Up to date
            tablet> show
            1 Oat milk (started) +2 #food
            phone> sync
            Up to date
            phone> show oat
            1 Oat milk (started) +2 #food

            """
        #expect(try await self.type(transcript) == transcript)
    }

    @Test func `a budget that both devices change is decided field by field`() async throws {
        let transcript = """
            phone> add list Home
            phone> add todo Milk
            phone> sync
            Up to date
            tablet> sync
            Up to date
            tablet> show
            1 Milk
            tablet> edit 1 budget 3
            phone> show
            1 Milk
            phone> edit 1 budget 2.50
            phone> sync
            Up to date
            tablet> sync
            1 not sent, 1 to decide
            tablet> show
            1 Milk budget 3 !
            tablet> conflicts
            1 Milk: /budget is 2.5 on the server, 3 here
            tablet> decide 1 /title here
            /title is no conflicting field of “…” in items.
            tablet> decide 1 /budget server
            tablet> conflicts
            none
            tablet> sync
            Up to date
            tablet> show
            1 Milk budget 2.5

            """
        let typed = try await self.type(transcript)
        #expect(typed.replacing(/“[^”]*” in items/, with: "“…” in items") == transcript)
    }

    @Test func `a deleted list and its todos are restored by one undo`() async throws {
        let transcript = """
            phone> add list Home
            phone> add list Work
            phone> add todo Report
            phone> show
            1 Report …
            phone> lists
            1 Home
            2 Work (open)
            phone> move 1 1
            phone> show
            none
            phone> undo
            phone> delete 2
            phone> lists
            1 Home
            phone> undo
            phone> lists
            1 Home
            2 Work
            phone> open 2
            phone> show
            1 Report …
            phone> redo
            phone> show
            none

            """
        #expect(try await self.type(transcript) == transcript)
    }

    @Test func `a command that can't be carried out says why, and the next one works`() async throws {
        let transcript = """
            phone> add todo Milk
            Open a list first.
            phone> done 1
            “1” is not a number of `show`.
            phone> sing
            There is no command “sing”; see `help`.
            phone> decide 1 /budget here
            “1” is not a number of `conflicts`.
            phone> add list Home
            phone> add todo Milk
            phone> show
            1 Milk …
            phone> edit 1 budget much
            “much” is not an amount.
            phone> edit 1 color red
            The fields are title, notes and budget.
            phone> lists
            1 Home (open)

            """
        #expect(try await self.type(transcript) == transcript)
    }
}
