extension RunMachine {
    /// The same machine at another time, for telling two apart that differ in nothing but when they are.
    package func shifted(by span: Duration) -> RunMachine {
        var machine = self
        machine.time = self.time.map { $0 + span }
        machine.edits = self.edits.map { Edits(first: $0.first + span, last: $0.last + span) }
        return machine
    }
}
