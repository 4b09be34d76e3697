import TidemarkMachine

// What the engine does, in small: it names what happened, and carries out what the machine says.

extension TwoDevices {
    /// The app types: every value is typed once, so that each can be found again.
    mutating func type(on index: Int, _ content: (TinyContent, UInt8) -> TinyContent) {
        let value = UInt8(10 * (index + 1) + self.devices[index].inputs)
        self.devices[index].inputs -= 1
        let view = self.view(of: index)
        let typed = content(view ?? TinyContent(), value)
        for former in [view?.a != typed.a ? view?.a : nil, view?.b != typed.b ? view?.b : nil] {
            if let former, Self.owner(of: former) == index { self.alive.remove(former) }
        }
        self.alive.insert(value)
        self.drive(view == nil ? .create(typed) : .edit(typed), on: index)
    }

    /// The app gives up what it typed itself.
    mutating func forget(on index: Int) {
        guard let view = self.view(of: index) else { return }
        for value in [view.a, view.b] where Self.owner(of: value) == index { self.alive.remove(value) }
    }

    /// The server takes a request. What it overwrites has to be known to whoever sent it (I1).
    mutating func serve(_ upload: Machine.Upload?, watermark: Int) -> Answer {
        let before = self.server.state.content
        let answer = self.server.answer(upload, watermark: watermark)
        let after = self.server.state.content
        guard let sender = upload?.requestID.first?.wholeNumberValue, let before else { return answer }
        for value in [before.a, before.b] where value != after?.a && value != after?.b {
            guard !self.devices[sender].known.contains(value) else { continue }
            self.violation = "I1: device \(sender) overwrote \(value), which it never saw"
        }
        return answer
    }

    mutating func drive(_ input: Machine.Input, on index: Int) {
        let algebra = TinyAlgebra()
        var next: Machine.Input? = input
        while let current = next {
            let before = self.devices[index].machine
            let table: (RecordPhase, RecordEvent) -> RecordTransition = { $0.transition(on: $1) }
            guard let attempt = try? self.devices[index].machine.attempt(current, algebra, table: table) else {
                self.violation = "a change does not fit its content"
                return
            }
            switch attempt {
            case .impossible(let event):
                self.violation = "I7: \(event) can't occur in \(before.phase)"
                return
            case .step(let step):
                next = step.next
                if step.actions.contains(.journal) { self.journal(before, on: index) }
                if let view = self.view(of: index) { self.devices[index].known.formUnion([view.a, view.b]) }
                if step.actions.contains(.consult) { next = self.verdict(on: index) }
            }
        }
    }

    /// What was on either side and is not in the outcome is in the journal now.
    private mutating func journal(_ before: Machine, on index: Int) {
        let after = self.view(of: index)
        let sides = [try? before.view(TinyAlgebra()), before.seen?.content, before.confirmed.content]
        for side in sides.compactMap({ $0 }) {
            for value in [side.a, side.b] where value != after?.a && value != after?.b {
                self.alive.remove(value)
                self.devices[index].known.insert(value)
            }
        }
    }

    /// The tactic: the client's changes over the server's, and an edit before a delete.
    private mutating func verdict(on index: Int) -> Machine.Input? {
        let (machine, algebra) = (self.devices[index].machine, TinyAlgebra())
        if let settled = try? machine.settling(algebra) { return settled }
        guard let facts = try? machine.conflict(algebra) else { return nil }
        guard let server = facts.server.content else { return .verdict(.client, about: facts) }
        guard let client = facts.client,
            let merged = try? algebra.merge(base: facts.base, server: server, client: client)
        else { return .verdict(.server, about: facts) }
        return .verdict(.content(merged.content), about: facts)
    }

    private func view(of index: Int) -> TinyContent? {
        (try? self.devices[index].machine.view(TinyAlgebra())) ?? nil
    }

    /// Which device typed a value; nil for what was there at the start.
    private static func owner(of value: UInt8) -> Int? {
        value >= 10 ? Int(value) / 10 - 1 : nil
    }
}

// MARK: - The server

extension TwoDevices.Server {
    /// Takes an edit, if there is one, and answers with what is new (W1–W9).
    mutating func answer(_ upload: TwoDevices.Machine.Upload?, watermark: Int) -> TwoDevices.Answer {
        var answer = TwoDevices.Answer(watermark: self.clock)
        if let upload {
            let result = self.answers[upload.requestID] ?? self.decide(upload)
            self.answers[upload.requestID] = result
            answer.requestID = upload.requestID
            answer.result = result
        }
        answer.watermark = self.clock
        let version = self.state.stamp.flatMap { Int($0) } ?? 0
        if version > watermark, !self.isShown(by: answer.result) { answer.listed = self.state }
        return answer
    }

    /// W6: a row that was answered at its present version need not come again.
    private func isShown(by result: TwoDevices.Machine.Answer?) -> Bool {
        switch result {
        case .accepted(let state), .conflicted(let state): state == self.state
        case .refused, .refusedAsMissing, .refusedUnread, nil: false
        }
    }

    private mutating func decide(_ upload: TwoDevices.Machine.Upload) -> TwoDevices.Machine.Answer {
        if upload.intent == .delete, self.state.content == nil { return .accepted(self.state) }
        let fits = upload.stamp == self.state.stamp || self.ignoresVersions
        guard fits, upload.intent != .edit || self.state.content != nil else { return .conflicted(self.state) }
        let content = upload.change.flatMap { try? TinyAlgebra().apply($0, to: self.state.content) }
        self.clock += 1
        self.state = content.map { .row(stamp: "\(self.clock)", $0) } ?? .tombstone(stamp: "\(self.clock)")
        return .accepted(self.state)
    }
}
