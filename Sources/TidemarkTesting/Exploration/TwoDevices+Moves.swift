import TidemarkMachine

extension TwoDevices: Explorable {
    /// The whole state.
    public var key: TwoDevices { self }

    /// Whether all is quiet, and the same everywhere (I3).
    public var isGoal: Bool { self.isQuiet }

    /// Whether a step happens by itself.
    public func isProgress(_ move: Move) -> Bool {
        switch move {
        case .send, .deliver, .receive, .deliverLate: true
        case .create, .edit, .delete, .lose, .crash: false
        }
    }

    /// Every step that can be taken.
    public var moves: [Move] {
        var moves: [Move] = self.late == nil ? [] : [.deliverLate]
        for (index, device) in self.devices.enumerated() {
            if device.inputs > 0 { moves += self.inputs(of: index) }
            switch device.flight {
            case .none:
                if self.hasSomethingToDo(device) { moves.append(.send(index)) }
            case .asking: moves += self.faults > 0 ? [.deliver(index), .lose(index)] : [.deliver(index)]
            case .answered: moves += self.faults > 0 ? [.receive(index), .lose(index)] : [.receive(index)]
            }
            if self.faults > 0, device.flight != .none, self.late == nil { moves.append(.crash(index)) }
        }
        return moves
    }

    private func inputs(of index: Int) -> [Move] {
        switch self.devices[index].machine.phase {
        case .absent, .deleted: [.create(index)]
        case .synced, .edited, .created: [.edit(index, first: true), .edit(index, first: false), .delete(index)]
        }
    }

    private func hasSomethingToDo(_ device: Device) -> Bool {
        device.watermark < self.server.clock || [.idle, .unconfirmed].contains(device.machine.phase.activity)
    }

    private var isQuiet: Bool {
        self.late == nil
            && self.devices.allSatisfy { device in
                device.flight == .none && device.machine.phase.activity == nil && device.watermark == self.server.clock
            }
    }

    /// The state after a step.
    public func taking(_ move: Move) -> TwoDevices {
        var next = self
        next.take(move)
        next.look()
        return next
    }

    private mutating func take(_ move: Move) {
        switch move {
        case .create(let index): self.type(on: index) { _, value in TinyContent(a: value, b: value) }
        case .edit(let index, let first):
            self.type(on: index) { view, value in
                first ? TinyContent(a: value, b: view.b) : TinyContent(a: view.a, b: value)
            }
        case .delete(let index):
            self.devices[index].inputs -= 1
            self.forget(on: index)
            self.drive(.delete, on: index)
        case .send(let index): self.send(index)
        case .deliver(let index):
            guard case .asking(let upload, let watermark) = self.devices[index].flight else { return }
            self.devices[index].flight = .answered(self.serve(upload, watermark: watermark))
        case .receive(let index): self.receive(index)
        case .lose(let index):
            self.faults -= 1
            self.loseMessage(of: index)
        case .crash(let index):
            self.faults -= 1
            if case .asking(let upload, _) = self.devices[index].flight { self.late = upload }
            self.restart(index)
        case .deliverLate:
            if let late = self.late { _ = self.serve(late, watermark: self.server.clock) }
            self.late = nil
        }
    }

    /// What has to hold of every state.
    private mutating func look() {
        if let content = self.server.state.content { self.alive.subtract([content.a, content.b]) }
        guard self.violation == nil, self.isQuiet else { return }
        for (index, device) in self.devices.enumerated() {
            guard let view = try? device.machine.view(TinyAlgebra()) == self.server.state.content, view else {
                self.violation = "I3: device \(index) differs from the server"
                return
            }
        }
        if !self.alive.isEmpty { self.violation = "I2: \(self.alive.sorted()) was typed and is nowhere" }
    }
}
