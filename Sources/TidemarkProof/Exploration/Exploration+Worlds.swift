extension Exploration {
    /// The worlds of the unit tests: seconds, also in a debug build.
    package static var small: Exploration {
        Exploration(name: "small", settings: Self.worlds(inputs: 2, fromTheStart: 2), runs: [("the run loop", 5)])
    }

    /// The same worlds with more inputs: minutes, in a release build.
    package static var large: Exploration {
        Exploration(name: "large", settings: Self.worlds(inputs: 3, fromTheStart: 4), runs: [("the run loop", 7)])
    }

    /// That of ``small`` which is about the run loop, alone.
    package static var smallRuns: Exploration {
        Exploration(name: "small runs", settings: [], runs: [("the run loop", 5)])
    }

    private static let everything: World.Setting.Features = [
        .memory, .others, .losses, .ghosts, .refusals, .resigning, .purges,
    ]

    private static func worlds(inputs: Int, fromTheStart: Int) -> [World.Setting] {
        Self.fromTheStart(inputs: fromTheStart) + Self.inDoubt(inputs: inputs)
            + Self.inDoubtUnrepeated(inputs: inputs) + Self.inFlight(inputs: inputs) + Self.stopped(inputs: inputs)
            + Self.startedOver(inputs: inputs) + Self.putBack(inputs: inputs) + Self.answeredLate(inputs: inputs)
    }

    private static func fromTheStart(inputs: Int) -> [World.Setting] {
        [
            World.Setting("a create", start: .nothing, inputs: inputs + 1, features: [.memory, .others]),
            World.Setting("an edit", start: .inStep, inputs: inputs + 1, features: [.memory, .others]),
            World.Setting("a create, every fault", start: .nothing, inputs: inputs + 1, features: Self.everything),
            World.Setting("an edit, every fault", start: .inStep, inputs: inputs, features: Self.everything),
            World.Setting(
                "a create, no memory", start: .nothing, inputs: inputs + 1, features: [.others, .losses]),
            World.Setting("an edit, no memory", start: .inStep, inputs: inputs, features: [.others, .losses]),
            // As far as a counter of three bits goes.
            World.Setting(
                "a counter", start: .inStep, inputs: 5,
                features: [.memory, .counting, .others, .losses, .ghosts]),
        ]
    }

    /// Held, while no one knows what became of what was sent, and it may arrive yet.
    private static func inDoubt(inputs: Int) -> [World.Setting] {
        let create: [World.Move] = [.create(.first), .post, .timeOut]
        return [
            Self.world("a create in doubt", .nothing, create + [.hold], inputs),
            Self.world("a create in doubt, deleted", .nothing, create + [.delete, .hold], inputs),
            Self.world("a create in doubt, edited", .nothing, create + [.hold, .edit(.a), .hold], inputs),
            Self.world("a create in doubt, edited, deleted", .nothing, create + [.edit(.a), .delete, .hold], inputs),
            Self.world("an edit in doubt", .inStep, [.edit(.a), .post, .timeOut, .hold], inputs),
            Self.world("a delete in doubt", .inStep, [.delete, .post, .timeOut, .hold], inputs),
        ]
    }

    /// The same, with a server that can't repeat its answers: its rows show what was taken.
    private static func inDoubtUnrepeated(inputs: Int) -> [World.Setting] {
        let edited: [World.Move] = [.edit(.a), .post, .timeOut, .edit(.b), .hold]
        let recreated: [World.Move] = [.delete, .post, .timeOut, .create(.first), .hold]
        return [("an edit in doubt, no memory", edited), ("a delete in doubt, no memory", recreated)].map {
            World.Setting($0.0, start: .inStep, prelude: $0.1, inputs: inputs, features: [.others, .losses, .refusals])
        }
    }

    /// Taken by the server, which the client was not told.
    private static func inFlight(inputs: Int) -> [World.Setting] {
        [
            Self.world("a create unanswered", .nothing, [.create(.first), .post, .deliver, .timeOut], inputs),
            Self.world("an edit unanswered", .inStep, [.edit(.a), .post, .deliver, .timeOut], inputs),
            Self.world("a delete unanswered", .inStep, [.delete, .post, .deliver, .timeOut], inputs),
        ]
    }

    /// Taken by a server that repeats its answers with the present row, which may be another's.
    private static func answeredLate(inputs: Int) -> [World.Setting] {
        let features = Self.everything.union(.presentRows)
        let unanswered: [World.Move] = [.post, .deliver, .timeOut]
        let stories: [(String, World.Setting.Start, [World.Move])] = [
            ("a create answered late", .nothing, [.create(.first)] + unanswered),
            ("an edit answered late", .inStep, [.edit(.a)] + unanswered),
            ("an edit and more, answered late", .inStep, [.edit(.a)] + unanswered + [.edit(.b), .otherEdits(.a)]),
            (
                "an edit of what is deleted, answered late", .inStep,
                [.edit(.a)] + unanswered + [.edit(.b), .otherDeletes]
            ),
            ("a delete answered late", .inStep, [.delete] + unanswered),
        ]
        return stories.map {
            World.Setting($0.0, start: $0.1, prelude: $0.2, inputs: inputs, features: features)
        } + [
            World.Setting(
                "a counter answered late", start: .inStep, prelude: [.edit(.count)] + unanswered, inputs: 4,
                features: [.memory, .counting, .others, .losses, .ghosts, .presentRows])
        ]
    }

    /// Waiting for someone.
    private static func stopped(inputs: Int) -> [World.Setting] {
        let refused: [World.Move] = [.post, .deliverRefused, .receive]
        let answered: [World.Move] = [.post, .deliver, .receive]
        return [
            Self.world("a delete refused", .inStep, [.delete] + refused, inputs),
            Self.world("an edit refused", .inStep, [.edit(.a)] + refused, inputs),
            Self.world("two creates", .nothing, [.create(.first), .otherCreates(.second)] + answered, inputs),
            Self.world(
                "two creates, deleted", .nothing, [.create(.first), .otherCreates(.second)] + answered + [.delete],
                inputs),
            Self.world("two edits", .inStep, [.edit(.a), .otherEdits(.a)] + answered, inputs),
        ]
    }

    /// The feed has to be read from the start while something is under way.
    private static func startedOver(inputs: Int) -> [World.Setting] {
        let lost: [World.Move] = [.purgeOfAnother, .post, .deliver, .receive]
        let recreated: [World.Move] = [.edit(.a), .otherDeletes, .post, .deliver, .receive, .decide(.client)]
        return [
            Self.world("an edit, started over", .inStep, [.edit(.a)] + lost, inputs),
            Self.world("a create, started over", .inStep, recreated + lost, inputs),
            Self.world("a delete, started over", .inStep, [.delete] + lost, inputs),
        ]
    }

    /// The server is put back to a backup, before or after it took what is in doubt.
    private static func putBack(inputs: Int) -> [World.Setting] {
        let stories: [(String, World.Setting.Start, [World.Move])] = [
            ("a create, put back", .nothing, [.create(.first), .post, .deliver, .timeOut]),
            ("an edit, put back", .inStep, [.edit(.a), .post, .deliver, .timeOut]),
            ("a delete, put back", .inStep, [.delete, .post, .deliver, .timeOut]),
            ("an edit and more, put back", .inStep, [.edit(.a), .post, .deliver, .timeOut, .edit(.b)]),
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
