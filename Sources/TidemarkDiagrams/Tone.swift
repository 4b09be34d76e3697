import TidemarkMachine

/// The kind of a box, which decides its color.
package enum Tone: String, CaseIterable, Hashable, Sendable {
    // The five activities of a record, and the similar phases of an exchange and of the run loop.
    case idle, uploading, unconfirmed, deciding, held

    /// Nothing has to be sent.
    case settled

    /// The client knows no such record.
    case absent

    /// Another state, which has a separate page.
    case elsewhere
}

extension Tone {
    init(_ activity: RecordPhase.Activity) {
        switch activity {
        case .idle: self = .idle
        case .uploading: self = .uploading
        case .unconfirmed: self = .unconfirmed
        case .deciding: self = .deciding
        case .held: self = .held
        }
    }

    init(_ phase: ExchangePhase) {
        switch phase {
        case .idle: self = .settled
        case .getting: self = .idle
        case .posting: self = .uploading
        case .waiting: self = .unconfirmed
        case .paused: self = .held
        }
    }

    init(_ phase: TurnPhase) {
        switch phase {
        case .holding: self = .settled
        case .asked: self = .idle
        case .away: self = .unconfirmed
        case .suspended: self = .held
        case .closed: self = .absent
        }
    }

    init(_ phase: RunPhase) {
        switch phase {
        case .listening: self = .settled
        case .due: self = .idle
        case .syncing: self = .uploading
        case .waiting: self = .unconfirmed
        case .paused: self = .held
        case .polling: self = .absent
        }
    }
}

extension Tone {
    /// The colors of a box, in CSS notation.
    package struct Paint: Hashable, Sendable {
        /// The background.
        package var ground: String

        package var border: String

        /// The letters.
        package var ink: String
    }

    /// The colors for a light page, and the default.
    package var day: Paint {
        switch self {
        case .idle: Paint(ground: "#dbeafe", border: "#2563eb", ink: "#172554")
        case .uploading: Paint(ground: "#dcfce7", border: "#16a34a", ink: "#052e16")
        case .unconfirmed: Paint(ground: "#fef3c7", border: "#d97706", ink: "#451a03")
        case .deciding: Paint(ground: "#f3e8ff", border: "#9333ea", ink: "#3b0764")
        case .held: Paint(ground: "#fee2e2", border: "#dc2626", ink: "#450a0a")
        case .settled: Paint(ground: "#ccfbf1", border: "#0f766e", ink: "#042f2e")
        case .absent: Paint(ground: "#ffffff", border: "#64748b", ink: "#334155")
        case .elsewhere: Paint(ground: "#e2e8f0", border: "#64748b", ink: "#1e293b")
        }
    }

    /// The colors for a dark page.
    package var night: Paint {
        switch self {
        case .idle: Paint(ground: "#172f5f", border: "#60a5fa", ink: "#dbeafe")
        case .uploading: Paint(ground: "#123f25", border: "#4ade80", ink: "#dcfce7")
        case .unconfirmed: Paint(ground: "#4d2f0a", border: "#fbbf24", ink: "#fef3c7")
        case .deciding: Paint(ground: "#3d1a5e", border: "#c084fc", ink: "#f3e8ff")
        case .held: Paint(ground: "#571a1a", border: "#f87171", ink: "#fee2e2")
        case .settled: Paint(ground: "#0d3f3c", border: "#2dd4bf", ink: "#ccfbf1")
        case .absent: Paint(ground: "#0f172a", border: "#94a3b8", ink: "#cbd5e1")
        case .elsewhere: Paint(ground: "#27344a", border: "#94a3b8", ink: "#e2e8f0")
        }
    }
}
