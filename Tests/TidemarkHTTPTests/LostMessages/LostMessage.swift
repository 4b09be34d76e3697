import TestSupport
import Testing
import TidemarkCore
import TidemarkJSON

/// The action of another device between the loss of a message and the next sync of the phone.
enum OtherDevice: String, Sendable, CaseIterable {
    case doesNothing = "does nothing"
    case editsAnotherField = "edits another field"
    case editsTheField = "edits the same field"
    case deletes = "deletes the record"
    case recreates = "deletes the record and makes it again"
    case editsUnsynced = "sends an edit that it made without a sync"
    case deletesUnsynced = "sends a deletion that it made without a sync"
}

/// One case: a message of a kind about records of a size, and the action of another device after its loss.
struct LostMessage: Sendable, CustomTestStringConvertible {
    /// One run of the case.
    enum Run: Sendable {
        /// Nothing is lost.
        case arrived

        /// The server's answer is lost.
        case answerLost

        /// The request is lost.
        case requestLost

        /// The message arrives, and the next message of the phone is lost.
        case restLost

        /// The phone syncs after the other device, and nothing is lost.
        case later
    }

    var kind: LostMessageKind
    var size: Int
    var other: OtherDevice

    var testDescription: String { "\(self.size) B, \(self.kind.name), the other device \(self.other.rawValue)" }

    /// Plays one run, from an empty server and two empty stores until all are in sync.
    func play(_ run: Run) async throws -> LostMessageEnd {
        let world = try LostMessageWorld(
            size: self.size, large: Set(self.kind.targets.count > 1 ? ["3"] : self.kind.targets),
            limits: self.kind.limits(self.size))
        try await self.setUp(world)
        try await self.kind.prepare(world)
        world.phone.loser.aim(at: self.kind.aim, losing: run.loss)
        if run == .later {
            try await self.act(world)
        } else {
            let report = try await world.sync(world.phone)
            if run != .restLost { #expect((report.outcome == .unreachable) == (run != .arrived), "\(run): \(report)") }
            #expect(!world.phone.loser.isAiming, "\(run): the message did not come up")
            #expect(world.phone.loser.message == (run == .requestLost ? nil : self.kind.message), "\(run)")
            try await self.act(world)
        }
        world.phone.loser.reconnect()
        #expect(try await world.settle(), "\(run): no rest")
        return try await LostMessageEnd(of: world)
    }

    /// Six records that both devices have.
    private func setUp(_ world: LostMessageWorld) async throws {
        for number in 1...6 { try await world.create(String(number), on: world.tablet, by: "s") }
        try await world.sync(world.tablet)
        if self.kind.isFirstSync {
            _ = try await world.phone.client.sync(["tags"])
        } else {
            try await world.sync(world.phone)
        }
    }

    /// The other device acts on each record of the message that it sees.
    private func act(_ world: LostMessageWorld) async throws {
        guard self.other != .doesNothing else { return }
        let tablet = world.tablet
        let isUnsynced = self.other == .editsUnsynced || self.other == .deletesUnsynced
        if !isUnsynced { try await world.sync(tablet) }
        if let room = self.kind.room, try await tablet.notes[room].get() != nil {
            try await world.delete(room, on: tablet)
            try await world.sync(tablet)
        }
        for pk in self.kind.targets {
            let isThere = try await tablet.notes[pk].get() != nil
            switch self.other {
            case .doesNothing: break
            case .editsAnotherField where isThere:
                try await world.edit(pk, on: tablet, setting: ["body": .string(JSONString("l" + pk))])
            case .editsTheField where isThere, .editsUnsynced where isThere:
                try await world.editTitle(pk, on: tablet, by: "l")
            case .deletes where isThere, .deletesUnsynced where isThere:
                try await world.delete(pk, on: tablet)
            case .recreates:
                if isThere { try await world.delete(pk, on: tablet) }
                try await world.sync(tablet)
                try await world.create(pk, on: tablet, by: "l", count: 100)
            case .editsAnotherField, .editsTheField, .editsUnsynced, .deletes, .deletesUnsynced: break
            }
        }
        try await world.sync(tablet)
    }
}

extension LostMessage.Run {
    /// The loss of a run.
    fileprivate var loss: MessageLoser.Loss? {
        switch self {
        case .arrived, .later: nil
        case .answerLost: .answer
        case .requestLost: .request
        case .restLost: .rest
        }
    }
}

// MARK: - The cases

extension LostMessage {
    private static let sizes = [100, 2_000, 20_000]
    private static let largest = 200_000

    /// Every pair with a size of which the server stores the version and not the record (W4), and with `TEST_EACH=1` some with the
    /// other sizes; otherwise some have these in its place.
    static let posts: [LostMessage] = LostMessageKind.posts.enumerated().flatMap { place, kind in
        OtherDevice.allCases.enumerated().flatMap { number, other in
            var sizes = [20_000]
            if (place + number) % 2 == 0 { sizes.append(100) }
            if (place + number) % 4 == 1 { sizes.append(2_000) }
            if place + number == 6, place.isMultiple(of: 2) { sizes.append(Self.largest) }
            if !ThirdOfCases.isWhole { sizes = [sizes[(place + number) / 2 % sizes.count]] }
            return sizes.map { LostMessage(kind: kind, size: $0, other: other) }
        }
    }

    /// Every second pair, with one size each; a few with the largest.
    static func sample(of kinds: [LostMessageKind]) -> [LostMessage] {
        kinds.enumerated().flatMap { place, kind in
            OtherDevice.allCases.enumerated().compactMap { number, other in
                guard (place + number).isMultiple(of: 2) else { return nil }
                let half = (place + number) / 2
                let size = place % 5 == 0 && number == place % 7 ? Self.largest : Self.sizes[half % Self.sizes.count]
                return LostMessage(kind: kind, size: size, other: other)
            }
        }
    }
}
