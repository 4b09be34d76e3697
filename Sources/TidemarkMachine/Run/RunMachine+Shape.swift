extension RunMachine {
    /// Returns the same machine at another time, to compare machines without regard to the time.
    package func shifted(by span: Duration) -> RunMachine {
        var machine = self
        machine.time = self.time.map { $0 + span }
        machine.askTime = self.askTime.map { $0 + span }
        machine.edits = self.edits.map { $0.shifted(by: span) }
        machine.editsUnderWay = self.editsUnderWay.map { $0.shifted(by: span) }
        return machine
    }
}

extension RunMachine.Edits {
    fileprivate func shifted(by span: Duration) -> Self { Self(first: self.first + span, last: self.last + span) }
}
