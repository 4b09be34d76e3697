public import Observation
public import TidemarkJSON
public import TidemarkRules

/// Undo and redo of an app: whole transactions, by name.
///
/// ```swift
/// let history = await UndoHistory(client)                        // kept by the view, as @State
/// try await history.perform("Move to Work") { t in
///     try t["todos"]["42"].edit { $0.list = "work" }
/// }
/// let left = try await history.undo()                            // usually empty
/// ```
///
/// An undo never overwrites what others wrote. A field that was changed since the step keeps its present value, unless its rule can
/// take the step's part out of it, as a sum or a text can; the rest of the step is undone, and the fields that were left are
/// returned. A redo is the undo of what the undo really did, so it leaves the same fields again.
///
/// The history is in memory only, and its size is bounded. What the server or a conflict changes is no step of it. One call of
/// `perform`, ``undo()`` or ``redo()`` runs at a time, and the others wait in their order: the steps are in the order in which
/// they were stored.
@MainActor
@Observable
public final class UndoHistory {
    /// What an undo or redo has left as it is.
    public struct Left: Hashable, Sendable {
        /// Why it was left.
        public enum Reason: Hashable, Sendable {
            /// The fields, or another field of a record that the step had created, were changed since.
            case changed
            /// The record was deleted since, here or elsewhere.
            case gone
            /// The step had deleted the record, and there is a record with its pk again.
            case exists
            /// The step had created the record, and another record names it by a reference now (Contract §11).
            case referred
            /// The record is damaged in the store.
            case damaged
        }

        /// The collection of the record.
        public let collection: String

        /// The pk of the record.
        public let pk: String

        /// The fields that were changed since; none if the whole record was left for another reason. Within an array that is merged by
        /// key a path has the key of the element, as in a conflict.
        public let fields: [JSONPointer]

        /// Why it was left.
        public let reason: Reason
    }

    private var stack: UndoStack
    @ObservationIgnored private let client: SyncClient
    @ObservationIgnored private var isBusy = false

    /// Grows when all steps are dropped: a call that runs then keeps no step.
    @ObservationIgnored private var generation = 0
    @ObservationIgnored private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Makes an empty history.
    ///
    /// - Parameters:
    ///   - client: The client whose records are changed.
    ///   - steps: The maximum number of steps; the oldest are dropped.
    ///   - bytes: About how much memory the records of all steps use. A step that is larger alone empties the history: an undo of an
    ///     earlier step would be a surprise.
    public init(_ client: SyncClient, steps: Int = 100, bytes: Int = 16 << 20) {
        (self.client, self.stack) = (client, UndoStack(steps: steps, bytes: bytes))
    }

    /// Whether there is a step to undo.
    public var canUndo: Bool { self.stack.last(.undo) != nil }

    /// Whether there is an undone step to redo.
    public var canRedo: Bool { self.stack.last(.redo) != nil }

    /// The name of the step that ``undo()`` would undo; nil if there is none.
    public var undoName: String? { self.stack.last(.undo)?.name }

    /// The name of the step that ``redo()`` would redo; nil if there is none.
    public var redoName: String? { self.stack.last(.redo)?.name }
}

// MARK: - Steps

extension UndoHistory {
    /// Runs a transaction, which becomes a step; see `transaction` of ``SyncClient``. A transaction without a change is none.
    ///
    /// - Parameters:
    ///   - name: The name of the step for the user, such as “Move to Work”.
    ///   - body: The changes. It runs on the client's executor.
    /// - Returns: The value of the closure.
    /// - Throws: The error of the closure, and those of the transaction; then there is no step.
    @discardableResult
    public func perform<Value: Sendable>(
        _ name: String, _ body: @Sendable (RecordTransaction) throws(TidemarkError) -> Value
    ) async throws(TidemarkError) -> Value {
        await self.begin()
        defer { self.end() }
        let generation = self.generation
        let (value, edits) = try await self.client.transaction { (t) throws(TidemarkError) in (try body(t), t.edits) }
        if generation == self.generation { self.stack.add(UndoStack.Step(name: name, edits: edits)) }
        return value
    }

    /// Makes a transaction, and keeps it as a step, unless the closure throws: then the caller gets the same error.
    @discardableResult
    public func perform<Value: Sendable>(
        _ name: String, _ body: @Sendable (RecordTransaction) throws -> Value
    ) async throws -> Value {
        try await RefusedByApp.rethrowing { () async throws(TidemarkError) in
            try await self.perform(name) { (t) throws(TidemarkError) in try RefusedByApp.wrapping { try body(t) } }
        }
    }

    /// Adds changes that were made outside of the history, such as the save of a draft, as one step.
    ///
    /// - Parameters:
    ///   - edits: The changes, in their order.
    ///   - name: The name of the step for the user.
    public func record(_ edits: [RecordEdit], _ name: String) async {
        await self.begin()
        defer { self.end() }
        self.stack.add(UndoStack.Step(name: name, edits: edits))
    }

    /// Undoes the last step, as far as its fields were not changed since.
    ///
    /// - Returns: What was left as it is; none if there is no step.
    /// - Throws: The errors of the transaction; then the step is still there.
    @discardableResult
    public func undo() async throws(TidemarkError) -> [Left] {
        await self.begin()
        defer { self.end() }
        return try await self.undo(.undo)
    }

    /// Does the last undone step again, as far as its fields were not changed since. There is none after a new step.
    ///
    /// - Returns: What was left as it is; none if there is no undone step.
    /// - Throws: The errors of the transaction; then the undone step is still there.
    @discardableResult
    public func redo() async throws(TidemarkError) -> [Left] {
        await self.begin()
        defer { self.end() }
        return try await self.undo(.redo)
    }

    /// Drops all steps, also one that is being performed, undone or redone now.
    public func removeAll() {
        self.stack.removeAll()
        self.generation += 1
    }

    /// Undoes the last step of one list, and appends the changes of the undo to the other one.
    private func undo(_ direction: UndoStack.Direction) async throws(TidemarkError) -> [Left] {
        guard let step = self.stack.removeLast(direction) else { return [] }
        let generation = self.generation
        do throws(TidemarkError) {
            let undone = try await self.client.transaction { (t) throws(TidemarkError) in
                try t.undoUnchanged(step.edits)
            }
            if generation == self.generation { self.stack.add(undone.edits, of: step, after: direction) }
            return undone.left
        } catch {
            if generation == self.generation { self.stack.restore(step, to: direction) }
            throw error
        }
    }

    // MARK: One at a time

    private func begin() async {
        guard self.isBusy else { return self.isBusy = true }
        await withCheckedContinuation { self.waiting.append($0) }
    }

    private func end() {
        guard !self.waiting.isEmpty else { return self.isBusy = false }
        self.waiting.removeFirst().resume()
    }
}
