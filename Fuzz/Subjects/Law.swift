/// The properties that hold for each input.
package enum Law {
    /// Called with the words of a law that is broken. The fuzzer's process ends there; a test collects the words.
    @TaskLocal package static var whenBroken: @Sendable (String) -> Void = { fatalError("broken: \($0)") }
}

/// Checks that something holds; the text names the property.
func law(_ promise: String, _ holds: () throws -> Bool) {
    do {
        guard try holds() else { return Law.whenBroken(promise) }
    } catch {
        Law.whenBroken("\(promise); it threw: \(error)")
    }
}
