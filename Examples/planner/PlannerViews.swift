#if canImport(SwiftUI)

    import Foundation
    import SwiftUI
    import Tidemark

    /// The lists of the planner, its status, and its conflicts; the root of an app:
    ///
    /// ```swift
    /// @main struct PlannerApp: App {
    ///     @State private var planner = Planner(client)
    ///
    ///     var body: some Scene { WindowGroup { PlannerView(planner: planner) } }
    /// }
    /// ```
    ///
    /// Views read the models of ``Planner`` and call its actions; none of them knows of records, phases or requests.
    struct PlannerView: View {
        @Bindable var planner: Planner
        @State private var name = ""
        @State private var isDeciding = false

        var body: some View {
            NavigationStack {
                List {
                    Section("Lists") {
                        ForEach(self.planner.lists.records) { list in
                            NavigationLink(list.name) {
                                ItemsView(planner: self.planner, list: list)
                            }
                            .swipeActions {
                                Button("Delete", role: .destructive) {
                                    Task { await self.planner.deleteList(list.pk) }
                                }
                            }
                        }
                        TextField("New list", text: self.$name)
                            .onSubmit { self.add() }
                    }
                    Section("Sync") {
                        Text(self.planner.words)
                        if !self.planner.conflicts.conflicts.isEmpty {
                            Button("Decide \(self.planner.conflicts.conflicts.count) conflicts") {
                                self.isDeciding = true
                            }
                        }
                    }
                    if let problem = self.planner.problem {
                        Section("Problem") {
                            Text(problem)
                            Button("Dismiss") { self.planner.problem = nil }
                        }
                    }
                }
                .navigationTitle("Planner")
                .refreshable { await self.planner.sync() }
                .toolbar {
                    Button(self.planner.history.undoName.map { "Undo \($0)" } ?? "Undo") {
                        Task { await self.planner.undo() }
                    }
                    .disabled(!self.planner.history.canUndo)
                    Button(self.planner.history.redoName.map { "Redo \($0)" } ?? "Redo") {
                        Task { await self.planner.redo() }
                    }
                    .disabled(!self.planner.history.canRedo)
                }
            }
            .sheet(isPresented: self.$isDeciding) {
                ConflictsView(planner: self.planner)
            }
            .task {
                do {
                    try await self.planner.run()
                } catch {
                    self.planner.problem = "\(error)"
                }
            }
        }

        private func add() {
            let name = self.name
            self.name = ""
            Task { await self.planner.addList(name) }
        }
    }

    /// What is to be done in a list, with badges, a search and the actions of a todo.
    struct ItemsView: View {
        @Bindable var planner: Planner
        let list: RecordValue<ItemList>
        @State private var title = ""

        var body: some View {
            List {
                ForEach(self.planner.items.records) { item in
                    NavigationLink {
                        ItemForm(planner: self.planner, pk: item.pk)
                    } label: {
                        ItemRow(item: item, badge: self.planner.badge(of: item))
                    }
                    .swipeActions {
                        Button("Done") { Task { await self.planner.set(.done, of: [item.pk]) } }
                        Button("Vote") { Task { await self.planner.vote(item.pk) } }
                    }
                }
                if self.planner.items.hasMore {
                    Button("More") { self.planner.items.showMore() }
                }
                TextField("New todo", text: self.$title)
                    .onSubmit { self.add() }
            }
            .navigationTitle(self.list.name)
            .searchable(text: self.$planner.search)
            .task(id: self.list.pk) { self.planner.shown = self.list.pk }
        }

        private func add() {
            let item = Item(title: self.title, list: self.list.pk)
            self.title = ""
            Task { await self.planner.add(item) }
        }
    }

    /// A todo in a list. Its badge shows that it waits to be sent, or that the user has to act.
    struct ItemRow: View {
        let item: RecordValue<Item>
        let badge: String

        var body: some View {
            HStack {
                VStack(alignment: .leading) {
                    Text(self.item.title)
                    if !self.item.tags.isEmpty {
                        Text(self.item.tags.map { "#\($0)" }.joined(separator: " "))
                            .foregroundStyle(.secondary)
                    }
                }
                Spacer()
                if self.item.votes > 0 {
                    Text("+\(self.item.votes)")
                }
                Text(self.badge)
                    .accessibilityLabel(
                        self.item.needsAttention ? "Needs a decision" : self.item.isPending ? "Not sent yet" : "")
            }
        }
    }

    /// The form of a todo. It follows the record; fields that the user has changed stay until they are saved.
    struct ItemForm: View {
        let planner: Planner
        let pk: String
        @State private var form: DraftModel<Item>?
        @State private var refusals: [String: [String]] = [:]

        var body: some View {
            Form {
                if let form = self.form {
                    ItemFields(planner: self.planner, form: form)
                }
                if !self.refusals.isEmpty {
                    Section("Refused by the server") {
                        ForEach(self.refusals.sorted { $0.key < $1.key }, id: \.key) { field, messages in
                            Text("\(field) \(messages.joined(separator: ", "))")
                        }
                    }
                }
            }
            .navigationTitle("Todo")
            .task(id: self.pk) {
                do {
                    let form = try await self.planner.form(of: self.pk)
                    self.form = form
                    self.refusals = try await self.planner.refusals(of: self.pk)
                    await form.follow()
                } catch {
                    self.planner.problem = "\(error)"
                }
            }
        }
    }

    /// The fields of a form, and the questions of its save.
    struct ItemFields: View {
        let planner: Planner
        @Bindable var form: DraftModel<Item>

        var body: some View {
            Section("Todo") {
                TextField("Title", text: self.$form.value.title)
                Picker("Status", selection: self.$form.value.status) {
                    ForEach(Item.Status.allCases, id: \.self) { status in
                        Text(status.rawValue).tag(status)
                    }
                }
                TextField("Budget", value: self.$form.value.budget, format: .number)
                TextField("Notes", text: self.$form.value.notes, axis: .vertical)
            }
            Section("Steps") {
                ForEach(self.$form.value.steps) { $step in
                    Toggle(step.text, isOn: $step.done)
                }
            }
            if !self.form.remoteChanges.isEmpty {
                Section("Also changed elsewhere") {
                    Text(self.form.remoteChanges.map(\.text).joined(separator: ", "))
                }
            }
            if let conflict = self.form.conflict {
                Section("Changed while you were editing") {
                    ForEach(conflict.fields, id: \.self) { field in
                        Text("\(field.path.text): \(field.stored?.text ?? "removed")")
                    }
                    Button("Keep my values") { self.save(preferring: conflict.preferring(.draft)) }
                    Button("Use the others") { self.save(preferring: conflict.preferring(.stored)) }
                }
            }
            if let failure = self.form.failure, self.form.conflict == nil {
                Text(failure.message)
            }
            Button("Save") { self.save() }
                .disabled(!self.form.hasChanges || self.form.isSaving)
        }

        private func save(preferring answers: [DraftConflict.Field: DraftConflict.Side] = [:]) {
            Task { await self.planner.save(self.form, preferring: answers) }
        }
    }

    /// The conflicts that wait for the user, as a sheet.
    struct ConflictsView: View {
        let planner: Planner
        @Environment(\.dismiss) private var dismiss

        var body: some View {
            NavigationStack {
                Form {
                    ForEach(self.planner.conflicts.conflicts) { open in
                        ConflictFields(planner: self.planner, open: open)
                    }
                }
                .navigationTitle("Conflicts")
                .toolbar {
                    Button("Close") { self.dismiss() }
                }
            }
        }
    }

    /// A conflict, field by field. A conflict whose values change is another one, so that no answer counts for values that the user
    /// has not seen.
    struct ConflictFields: View {
        let planner: Planner
        let open: OpenConflict
        @State private var choices: RecordConflict.Choices

        init(planner: Planner, open: OpenConflict) {
            (self.planner, self.open) = (planner, open)
            self._choices = State(initialValue: open.choices)
        }

        var body: some View {
            Section(self.open.conflict.client?.title?.string ?? self.open.conflict.pk) {
                ForEach(self.choices.fields, id: \.path) { field in
                    Picker(field.path.text, selection: self.$choices[field.path]) {
                        Text("Choose").tag(RecordConflict.Choices.Answer?.none)
                        Text("Server: \(field.server?.text ?? "removed")")
                            .tag(RecordConflict.Choices.Answer?.some(.server))
                        Text("Here: \(field.client?.text ?? "removed")")
                            .tag(RecordConflict.Choices.Answer?.some(.client))
                    }
                }
                Button("Save") {
                    Task { await self.planner.decide(self.open, self.choices) }
                }
                .disabled(!self.choices.isComplete)
            }
        }
    }

#endif
