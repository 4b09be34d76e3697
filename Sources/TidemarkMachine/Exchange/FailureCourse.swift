/// What a policy makes of an exchange that failed as a whole (SPEC §3.5).
package enum FailureCourse: String, CaseIterable, Hashable, Sendable {
    /// It is tried again: after a wait, or, where history was lost, at once and from the start.
    case retry

    /// Nothing is sent or asked until the app says so.
    case pause
}
