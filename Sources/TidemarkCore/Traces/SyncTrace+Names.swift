import TidemarkJSON

extension SyncTrace {
    /// Returns the trace with a number in place of each pk: `#1`, `#2`, … in the order of their first use. The names of
    /// collections stay.
    public func withoutNames() -> SyncTrace {
        var numbers: [CodePointString: Int] = [:]
        var copy = self
        for index in copy.entries.indices {
            guard case .record(var trace) = copy.entries[index].step else { continue }
            let name = CodePointString(trace.pk)
            let number = numbers[name] ?? numbers.count + 1
            numbers[name] = number
            trace.pk = "#\(number)"
            copy.entries[index].step = .record(trace)
        }
        return copy
    }

    /// Returns the entries of the given collections.
    public func of(_ collections: some Collection<String>) -> SyncTrace {
        let names = Set(collections.map { CodePointString($0) })
        return SyncTrace(entries: self.entries.filter { names.contains(CodePointString($0.step.collection)) })
    }
}
