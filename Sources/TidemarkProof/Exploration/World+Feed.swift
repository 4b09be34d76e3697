import TidemarkMachine
import TidemarkSimulation

extension World {
    /// Gives the machine an input and all inputs that follow from it, in one transaction, and checks each step.
    mutating func feed(_ input: Machine.Input) {
        var next: Machine.Input? = input
        var count = 0
        while let current = next, self.fault == nil {
            next = self.step(current)
            if next == nil { next = self.settling }
            count += 1
            if count > 8 { self.fault = "I8: \(input) has no end" }
        }
        if self.machine.phase.activity != .deciding { self.question = nil }
    }

    private var settling: Machine.Input? {
        var merge: TinyMerge?
        return try? self.machine.settling(self.algebra, &merge)
    }

    private mutating func step(_ input: Machine.Input) -> Machine.Input? {
        let before = self.machine
        do {
            switch try self.machine.attempt(input, self.algebra) {
            case .impossible(let event):
                self.fault = "I7: \(event) in \(before.phase), from \(input)"
                return nil
            case .step(let step):
                self.taken.append(Cell(phase: step.source, event: step.event))
                self.save(step, before)
                self.remember(input, before)
                self.fault = self.fault ?? self.mistake(in: step, on: input, before: before)
                return step.next
            }
        } catch {
            self.fault = "\(error.change) was applied without a record, on \(input) in \(before.phase)"
            return nil
        }
    }

    private mutating func save(_ step: Machine.Step, _ before: Machine) {
        if step.actions.contains(.save) {
            self.stored = self.machine
        } else if step.actions.contains(.erase) {
            self.stored = nil
            if self.machine != Machine() { self.fault = "an erased record left \(self.machine)" }
        } else if self.machine != before {
            self.fault = "I10: \(step.event) in \(step.source) changed the record and did not save it"
        }
    }

    /// Stores whether the app still wants the record.
    private mutating func remember(_ input: Machine.Input, _ before: Machine) {
        switch input {
        case .create, .edit, .verdict(.server, _), .verdict(.content, _): self.isUnwanted = false
        case .delete: self.isUnwanted = true
        case .resign, .giveUp: self.isUnwanted = before.confirmed.content == nil && before.phase.activity != .deciding
        case .retry, .send, .hold, .feedRow, .conflictRow, .answered, .lost, .historyLost, .verdict(.client, _),
            .verdict(.ask, _):
            break
        }
    }
}
