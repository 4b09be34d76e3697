@testable import TidemarkJSON

extension JSONPatch {
    /// The reason why this patch is not canonical over a document (Contract §4), or nil.
    func flaw(over base: JSON?) -> String? {
        for (index, operation) in self.operations.enumerated() {
            if let flaw = operation.flaw(over: base) { return flaw }
            if operation.path.crossesAnArray(of: base) { return "\(operation.path) is a place in an array" }
            for later in self.operations.dropFirst(index + 1) {
                if later.path <= operation.path { return "\(later.path) comes after \(operation.path)" }
                if operation.path.isPrefix(of: later.path) { return "\(later.path) is below \(operation.path)" }
            }
        }
        return nil
    }
}

extension JSONPatch.Operation {
    fileprivate func flaw(over base: JSON?) -> String? {
        let before = base?[pointer: self.path]
        switch self {
        case .add:
            return before == nil ? nil : "adds \(self.path), where something is"
        case .remove:
            return before == nil ? "removes \(self.path), where nothing is" : nil
        case .replace(_, let value):
            guard let before else { return "replaces \(self.path), where nothing is" }
            if before == value { return "\(self.path) changes nothing" }
            return before.object != nil && value.object != nil ? "\(self.path) replaces an object by an object" : nil
        case .move, .copy, .test:
            return "has the operation \(self.name)"
        }
    }
}

extension JSONPointer {
    fileprivate func crossesAnArray(of base: JSON?) -> Bool {
        var parent = self.parent
        while let place = parent {
            if base?[pointer: place]?.array != nil { return true }
            parent = place.parent
        }
        return false
    }
}
