import Foundation
import Observation
import Tidemark

/// The planner in a terminal: a command as a line of text, and lines of text as its answer.
///
/// A view shows a model while it is on the screen, and the model follows the records meanwhile. A terminal shows a model once for a
/// command: ``screen(search:)`` makes the models, waits until they are read, and ends their work.
@MainActor
final class PlannerTerminal {
    static let help = """
        add list NAME              make a list, and open it
        add todo TITLE [#TAG…]     make a todo in the open list
        lists                      show the lists
        open LIST | open all       open a list of `lists` by its number
        show [WORDS]               show what is to be done in the open list, or search it
        start, done, reopen TODO   change the status of a todo of `show` by its number
        vote TODO                  vote for a todo
        move TODO LIST             move a todo to another list
        edit TODO FIELD TEXT       change its title, notes or budget
        delete LIST                delete a list with its todos
        undo, redo                 undo or redo a step
        sync                       send and fetch
        status                     show the status
        conflicts                  show what both sides changed, by field
        decide N FIELD SIDE        decide a field of a conflict: here or server
        quit                       end

        """

    /// Why a command is not carried out, for the user.
    private struct Refusal: Error {
        let words: String
    }

    private let client: SyncClient

    /// What acts, and has the steps of undo.
    private let planner: Planner

    /// The list that is open; nil for all.
    private var list: String?

    // The last answers have numbers for these, and commands name them so.
    private var lists: [String] = []
    private var items: [String] = []
    private var conflicts: [OpenConflict] = []
    private var choices: [OpenConflict.ID: RecordConflict.Choices] = [:]

    init(_ client: SyncClient) {
        self.client = client
        self.planner = Planner(client)
    }

    /// Carries out a command; an empty line has no answer.
    func answer(_ line: String) async -> String {
        let words = line.split(separator: " ").map(String.init)
        guard let name = words.first else { return "" }
        self.planner.problem = nil
        do {
            let answer = try await self.carryOut(name, Array(words.dropFirst()))
            if let problem = self.planner.problem { throw Refusal(words: problem) }
            return answer
        } catch {
            return ((error as? Refusal)?.words ?? (error as? TidemarkError)?.message ?? "\(error)") + "\n"
        }
    }

    private func carryOut(_ name: String, _ words: [String]) async throws -> String {
        switch (name, words.first) {
        case ("help", _): return Self.help
        case ("add", "list"): return try await self.addList(words.dropFirst().joined(separator: " "))
        case ("add", "todo"): return try await self.addItem(Array(words.dropFirst()))
        case ("lists", _): return try await self.showLists()
        case ("open", "all"): self.list = nil
        case ("open", _): self.list = try self.pick(words, 0, self.lists, "lists")
        case ("show", _): return try await self.showItems(words.joined(separator: " "))
        case ("start", _): await self.planner.set(.started, of: [try self.pick(words, 0, self.items, "show")])
        case ("done", _): await self.planner.set(.done, of: [try self.pick(words, 0, self.items, "show")])
        case ("reopen", _): await self.planner.set(.open, of: [try self.pick(words, 0, self.items, "show")])
        case ("vote", _): await self.planner.vote(try self.pick(words, 0, self.items, "show"))
        case ("move", _):
            let item = try self.pick(words, 0, self.items, "show")
            await self.planner.move([item], to: try self.pick(words, 1, self.lists, "lists"))
        case ("edit", _): return try await self.edit(words)
        case ("delete", _):
            let list = try self.pick(words, 0, self.lists, "lists")
            await self.planner.deleteList(list)
            if self.list == list { self.list = nil }
        case ("undo", _): return self.words(for: await self.planner.undo())
        case ("redo", _): return self.words(for: await self.planner.redo())
        case ("sync", _):
            await self.planner.sync()
            return try await self.screen().words + "\n"
        case ("status", _): return try await self.screen().words + "\n"
        case ("conflicts", _): return try await self.showConflicts()
        case ("decide", _): return try await self.decide(words)
        default: throw Refusal(words: "There is no command “\(name)”; see `help`.")
        }
        return ""
    }

    /// What a number of the last answer stands for.
    private func pick<Choice>(
        _ words: [String], _ index: Int, _ choices: [Choice], _ command: String
    ) throws -> Choice {
        let word = index < words.count ? words[index] : ""
        guard let number = Int(word), choices.indices.contains(number - 1) else {
            throw Refusal(words: "“\(word)” is not a number of `\(command)`.")
        }
        return choices[number - 1]
    }
}

// MARK: - Showing the models

extension PlannerTerminal {
    /// Makes the models of a screen, which show the records as they are now.
    private func screen(search: String = "") async throws -> Planner {
        let screen = Planner(self.client)
        (screen.shown, screen.search) = (self.list, search)
        // Cancelled at the end of this function.
        async let _ = screen.follow()
        await self.wait { screen.isLoaded || screen.failure != nil }
        if let failure = screen.failure { throw failure }
        return screen
    }

    /// Waits until a condition about observed properties holds.
    private func wait(until condition: () -> Bool) async {
        while !condition() {
            await withCheckedContinuation { continuation in
                withObservationTracking {
                    _ = condition()
                } onChange: {
                    continuation.resume()
                }
            }
        }
    }

    private func showLists() async throws -> String {
        let lists = try await self.screen().lists.records
        self.lists = lists.map(\.pk)
        return self.numbered(lists.map { $0.pk == self.list ? "\($0.name) (open)" : $0.name })
    }

    private func showItems(_ search: String) async throws -> String {
        let screen = try await self.screen(search: search)
        self.items = screen.items.records.map(\.pk)
        return self.numbered(
            screen.items.records.map { item in
                var words = [item.title]
                if item.status == .started { words.append("(started)") }
                if let budget = item.budget { words.append("budget \(budget)") }
                if item.votes > 0 { words.append("+\(item.votes)") }
                words += item.tags.map { "#\($0)" }
                let badge = screen.badge(of: item)
                return (words + (badge.isEmpty ? [] : [badge])).joined(separator: " ")
            })
    }

    private func showConflicts() async throws -> String {
        self.conflicts = try await self.screen().conflicts.conflicts
        return self.numbered(
            self.conflicts.map { open in
                let fields = open.choices.fields.map { field in
                    let (server, client) = (field.server?.text ?? "removed", field.client?.text ?? "removed")
                    return "\(field.path.text) is \(server) on the server, \(client) here"
                }
                let title = open.conflict.client?.title?.string ?? open.conflict.pk
                return "\(title): " + fields.joined(separator: "; ")
            })
    }

    private func numbered(_ lines: [String]) -> String {
        lines.isEmpty ? "none\n" : lines.enumerated().map { "\($0.offset + 1) \($0.element)\n" }.joined()
    }
}

// MARK: - Commands with several words

extension PlannerTerminal {
    private func addList(_ name: String) async throws -> String {
        guard !name.isEmpty else { throw Refusal(words: "Which name has the list?") }
        if let pk = await self.planner.addList(name) { self.list = pk }
        return ""
    }

    private func addItem(_ words: [String]) async throws -> String {
        guard let list else { throw Refusal(words: "Open a list first.") }
        let tags = words.filter { $0.hasPrefix("#") }
        let title = words.filter { !$0.hasPrefix("#") }.joined(separator: " ")
        guard !title.isEmpty else { throw Refusal(words: "Which title has the todo?") }
        _ = await self.planner.add(Item(title: title, list: list, tags: tags.map { String($0.dropFirst()) }))
        return ""
    }

    private func edit(_ words: [String]) async throws -> String {
        let form = try await self.planner.form(of: try self.pick(words, 0, self.items, "show"))
        let text = words.dropFirst(2).joined(separator: " ")
        switch words.dropFirst().first {
        case "title": form.value.title = text
        case "notes": form.value.notes = text
        case "budget":
            guard text.isEmpty || Decimal(string: text) != nil else {
                throw Refusal(words: "“\(text)” is not an amount.")
            }
            form.value.budget = Decimal(string: text)
        default: throw Refusal(words: "The fields are title, notes and budget.")
        }
        await self.planner.save(form)
        if let failure = form.failure { throw failure }
        return ""
    }

    private func decide(_ words: [String]) async throws -> String {
        let open = try self.pick(words, 0, self.conflicts, "conflicts")
        var choices = self.choices[open.id] ?? open.choices
        guard words.count == 3, let side = ["here": RecordConflict.Choices.Answer.client, "server": .server][words[2]]
        else { throw Refusal(words: "Choose a side for a field: decide 1 /title here, or server.") }
        try choices.set(side, for: try JSONPointer(parsing: words[1]))
        self.choices[open.id] = choices
        let left = choices.fields.map(\.path).filter { choices[$0] == nil }
        guard left.isEmpty else { return "left to decide: \(left.map(\.text).joined(separator: ", "))\n" }
        await self.planner.decide(open, choices)
        self.choices[open.id] = nil
        return ""
    }

    private func words(for left: [UndoHistory.Left]) -> String {
        left.map { record in
            let fields = record.fields.map(\.text).joined(separator: ", ")
            return "left as it is, since it was changed: \(record.collection) \(fields)\n"
        }.joined()
    }
}
