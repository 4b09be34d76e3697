package import TidemarkCore
import TidemarkRules

/// The level that a server declares in `GET /v1/` (Contract §5).
package enum ConformanceLevel: String, Sendable, CaseIterable {
    /// The part that every server needs: the feed, edits, repeated answers, lost history and accounts.
    case minimal

    /// All of the wire: also `seen`, the exact bytes of values, the number of rows left, single records and the list of
    /// collections.
    case full

    /// The capabilities of a server of this level.
    package var capabilities: RemoteCapabilities {
        var capabilities = RemoteCapabilities.native
        guard self == .minimal else { return capabilities }
        capabilities.judgesSeen = false
        capabilities.values = .byValue
        capabilities.tombstones = .forever
        return capabilities
    }
}

/// The parts that checks may use in addition to the remote. A check that needs a missing part is not made.
package struct ConformanceSubject: Sendable {
    /// The level of the server.
    package var level = ConformanceLevel.full

    /// Sends single requests of HTTP; nil if the remote is not known to use the wire of Contract §5.
    package var http: (any ConformanceCarrier)?

    /// The same server with the token of another account.
    package var stranger: (any Remote)?

    /// Sends single requests of HTTP with the token of the other account.
    package var strangerHTTP: (any ConformanceCarrier)?

    /// Restarts the server, and returns when it answers again.
    package var restart: (@Sendable () async throws -> Void)?

    /// Makes a backup of the server.
    package var backup: (@Sendable () async throws -> Void)?

    /// Restores the last backup, and returns when the server answers again.
    package var restore: (@Sendable () async throws -> Void)?

    /// The existing collections to use; empty for new ones, of any name.
    package var collections: [String] = []

    /// The second place of the present check; nil if collections are new.
    var otherPlace: ConformancePlace?

    /// The place of the present check in the other account; nil if collections are new.
    var strangerPlace: ConformancePlace?

    /// Makes a subject without any of these parts.
    package init() {}
}

extension RemoteConformance.Check {
    /// A property of the server, or a part of the run, that a check requires.
    enum Need: Sendable {
        case condition, repetition, order, tombstones, exactValues, equalValues, listing, cursors, names, foundNames,
            ownRows, onlyRecords, wire, anyNames, seen, newCollections, secondCollection, http, full, stranger, restart,
            restore

        /// Whether the need is not an additional ability, but the sign of another kind of server.
        var isOfOthers: Bool {
            switch self {
            case .names, .listing: true
            default: false
            }
        }

        /// Why a check with this need is not made; nil if the need is met.
        func absence(in subject: ConformanceSubject, of capabilities: RemoteCapabilities) -> String? {
            self.isMet(by: capabilities, in: subject) ? nil : self.reason
        }

        private func isMet(by capabilities: RemoteCapabilities, in subject: ConformanceSubject) -> Bool {
            switch self {
            case .condition: capabilities.condition != .none
            case .repetition: capabilities.repetition == .answeredAgain
            case .order: capabilities.feed == .ordered
            case .tombstones: capabilities.tombstones != .none
            case .exactValues: capabilities.values == .exact
            case .equalValues: capabilities.values != .rounded
            case .listing: capabilities.feed == .listing
            case .cursors: capabilities.feed != .listing
            case .names: capabilities.names != .client
            case .foundNames: capabilities.names != .server
            case .ownRows: capabilities.names == .client
            case .onlyRecords: Self.hasOnlyRecords(capabilities)
            case .wire: capabilities.repetition == .answeredAgain && Self.hasOnlyRecords(capabilities)
            case .anyNames: Self.hasOnlyRecords(capabilities) && subject.collections.isEmpty
            case .seen: capabilities.judgesSeen
            case .newCollections: subject.collections.isEmpty
            case .secondCollection: subject.collections.count != 1
            case .http: subject.http != nil
            case .full: subject.level == .full
            case .stranger: subject.stranger != nil
            case .restart: subject.restart != nil
            case .restore: subject.backup != nil && subject.restore != nil
            }
        }

        /// Whether a row contains only the record, under the client's name.
        private static func hasOnlyRecords(_ capabilities: RemoteCapabilities) -> Bool {
            capabilities.names == .client && capabilities.members.isEmpty
        }

        private var reason: String {
            switch self {
            case .condition: "the server declares that it does not check the version of a write"
            case .repetition: "the server declares that it does not repeat its answer to a request_id"
            case .order: "the server declares that its feed is not in the order of the commits"
            case .tombstones: "the server declares that it has no tombstones"
            case .exactValues: "the server need not keep the bytes of values"
            case .equalValues: "the server declares that it rounds values"
            case .listing: "the server has a feed of changes"
            case .cursors: "the server returns all records each time"
            case .names: "clients name the records"
            case .foundNames: "the server names the records"
            case .ownRows: "the server names the records"
            case .wire: "the server does not use the wire of Contract §5"
            case .onlyRecords: "the server has its own members in each record"
            case .anyNames: "odd names are not tried in given collections"
            case .seen: "the server need not check the newest cursor, “seen”"
            case .newCollections: "the collections are given, and are not new"
            case .secondCollection: "only one collection is given; give a second --collection NAME"
            case .http: "the remote sends no single requests of HTTP"
            case .full: "the server has the level “minimal”"
            case .stranger: "no second account is given; use --other-token T"
            case .restart: "no restart is given; use --restart COMMAND"
            case .restore: "no backup is restored; use --backup COMMAND and --restore COMMAND"
            }
        }
    }
}

extension ConformanceSubject {
    /// Whether the rules of the wire of Contract §5 apply to a server with these capabilities.
    func keepsWire(_ capabilities: RemoteCapabilities) -> Bool {
        RemoteConformance.Check.Need.wire.absence(in: self, of: capabilities) == nil
    }
}
