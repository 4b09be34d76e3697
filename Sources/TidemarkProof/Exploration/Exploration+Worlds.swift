extension Exploration {
    /// The worlds of the unit tests. They take seconds, in a debug build too.
    package static var small: Exploration {
        Exploration(name: "small", settings: Self.worlds(inputs: 2, fromTheStart: 2), runs: [("the run loop", 5)])
    }

    /// The same worlds with more inputs. They take minutes in a release build.
    package static var large: Exploration {
        Exploration(name: "large", settings: Self.worlds(inputs: 3, fromTheStart: 4), runs: [("the run loop", 7)])
    }

    /// Only the run loop of ``small``.
    package static var smallRuns: Exploration {
        Exploration(name: "small runs", settings: [], runs: [("the run loop", 5)])
    }

    private static let everything: World.Setting.Features = [
        .memory, .others, .losses, .ghosts, .refusals, .resigning, .purges,
    ]

    private static func worlds(inputs: Int, fromTheStart: Int) -> [World.Setting] {
        Self.fromTheStart(inputs: fromTheStart) + Self.unconfirmed(inputs: inputs)
            + Self.inDoubtUnrepeated(inputs: inputs) + Self.inFlight(inputs: inputs) + Self.stopped(inputs: inputs)
            + Self.startedOver(inputs: inputs) + Self.putBack(inputs: inputs) + Self.answeredLate(inputs: inputs)
    }

    private static func fromTheStart(inputs: Int) -> [World.Setting] {
        [
            World.Setting("a create", start: .nothing, inputs: inputs + 1, features: [.memory, .others]),
            World.Setting("an edit", start: .inSync, inputs: inputs + 1, features: [.memory, .others]),
            World.Setting("a create, every fault", start: .nothing, inputs: inputs + 1, features: Self.everything),
            World.Setting("an edit, every fault", start: .inSync, inputs: inputs, features: Self.everything),
            World.Setting(
                "a create, no memory", start: .nothing, inputs: inputs + 1, features: [.others, .losses]),
            World.Setting("an edit, no memory", start: .inSync, inputs: inputs, features: [.others, .losses]),
            // A counter of three bits allows five inputs.
            World.Setting(
                "a counter", start: .inSync, inputs: 5,
                features: [.memory, .counting, .others, .losses, .ghosts]),
        ]
    }

    /// The record is held, the outcome of its upload is unknown, and the request may still arrive.
    private static func unconfirmed(inputs: Int) -> [World.Setting] {
        let create: [World.Move] = [.create(.first), .post, .timeOut]
        return [
            Self.world("a create unconfirmed", .nothing, create + [.hold], inputs),
            Self.world("a create unconfirmed, deleted", .nothing, create + [.delete, .hold], inputs),
            Self.world("a create unconfirmed, edited", .nothing, create + [.hold, .edit(.a), .hold], inputs),
            Self.world(
                "a create unconfirmed, edited, deleted", .nothing, create + [.edit(.a), .delete, .hold], inputs),
            Self.world("an edit unconfirmed", .inSync, [.edit(.a), .post, .timeOut, .hold], inputs),
            Self.world("a delete unconfirmed", .inSync, [.delete, .post, .timeOut, .hold], inputs),
        ]
    }

    /// Worlds with an unconfirmed upload and a server that can't repeat its answers. Only its rows show which uploads
    /// it accepted.
    private static func inDoubtUnrepeated(inputs: Int) -> [World.Setting] {
        let edited: [World.Move] = [.edit(.a), .post, .timeOut, .edit(.b), .hold]
        let recreated: [World.Move] = [.delete, .post, .timeOut, .create(.first), .hold]
        return [("an edit unconfirmed, no memory", edited), ("a delete unconfirmed, no memory", recreated)].map {
            World.Setting($0.0, start: .inSync, prelude: $0.1, inputs: inputs, features: [.others, .losses, .refusals])
        }
    }

    /// The server accepted the upload, and the client got no answer.
    private static func inFlight(inputs: Int) -> [World.Setting] {
        [
            Self.world("a create unanswered", .nothing, [.create(.first), .post, .deliver, .timeOut], inputs),
            Self.world("an edit unanswered", .inSync, [.edit(.a), .post, .deliver, .timeOut], inputs),
            Self.world("a delete unanswered", .inSync, [.delete, .post, .deliver, .timeOut], inputs),
        ]
    }

    /// The server accepted the upload and repeats its answer with the present row, which another device may have written.
    private static func answeredLate(inputs: Int) -> [World.Setting] {
        let features = Self.everything.union(.presentRows)
        let unanswered: [World.Move] = [.post, .deliver, .timeOut]
        let stories: [(String, World.Setting.Start, [World.Move])] = [
            ("a create answered late", .nothing, [.create(.first)] + unanswered),
            ("an edit answered late", .inSync, [.edit(.a)] + unanswered),
            ("an edit and more, answered late", .inSync, [.edit(.a)] + unanswered + [.edit(.b), .otherEdits(.a)]),
            (
                "an edit of a deleted record, answered late", .inSync,
                [.edit(.a)] + unanswered + [.edit(.b), .otherDeletes]
            ),
            ("a delete answered late", .inSync, [.delete] + unanswered),
        ]
        return stories.map {
            World.Setting($0.0, start: $0.1, prelude: $0.2, inputs: inputs, features: features)
        } + [
            World.Setting(
                "a counter answered late", start: .inSync, prelude: [.edit(.count)] + unanswered, inputs: 4,
                features: [.memory, .counting, .others, .losses, .ghosts, .presentRows])
        ]
    }

    /// The record is held or waits for a decision.
    private static func stopped(inputs: Int) -> [World.Setting] {
        let refused: [World.Move] = [.post, .deliverRefused, .receive]
        let answered: [World.Move] = [.post, .deliver, .receive]
        return [
            Self.world("a delete refused", .inSync, [.delete] + refused, inputs),
            Self.world("an edit refused", .inSync, [.edit(.a)] + refused, inputs),
            Self.world("two creates", .nothing, [.create(.first), .otherCreates(.second)] + answered, inputs),
            Self.world(
                "two creates, deleted", .nothing, [.create(.first), .otherCreates(.second)] + answered + [.delete],
                inputs),
            Self.world("two edits", .inSync, [.edit(.a), .otherEdits(.a)] + answered, inputs),
        ]
    }

    /// A full resync is due while the record has a local change.
    private static func startedOver(inputs: Int) -> [World.Setting] {
        let lost: [World.Move] = [.purgeOfAnother, .post, .deliver, .receive]
        let recreated: [World.Move] = [.edit(.a), .otherDeletes, .post, .deliver, .receive, .decide(.client)]
        return [
            Self.world("an edit, full resync", .inSync, [.edit(.a)] + lost, inputs),
            Self.world("a create, full resync", .inSync, recreated + lost, inputs),
            Self.world("a delete, full resync", .inSync, [.delete] + lost, inputs),
        ]
    }

    /// The server is restored from a backup, before or after it accepted an unconfirmed upload.
    private static func putBack(inputs: Int) -> [World.Setting] {
        let stories: [(String, World.Setting.Start, [World.Move])] = [
            ("a create, server rolled back", .nothing, [.create(.first), .post, .deliver, .timeOut]),
            ("an edit, server rolled back", .inSync, [.edit(.a), .post, .deliver, .timeOut]),
            ("a delete, server rolled back", .inSync, [.delete, .post, .deliver, .timeOut]),
            ("an edit and more, server rolled back", .inSync, [.edit(.a), .post, .deliver, .timeOut, .edit(.b)]),
        ]
        return stories.map {
            World.Setting(
                $0.0, start: $0.1, prelude: $0.2, inputs: inputs, features: [.memory, .others, .losses, .restores])
        }
    }

    private static func world(
        _ name: String, _ start: World.Setting.Start, _ prelude: [World.Move], _ inputs: Int
    ) -> World.Setting {
        World.Setting(name, start: start, prelude: prelude, inputs: inputs, features: Self.everything)
    }
}
