import TidemarkTesting

/// One step of a simulation: a plain value, drawn before the first step, so that a run can be shortened and repeated.
///
/// A step that does not apply in the present state does nothing. An index (the second answer in flight, the third conflict)
/// is taken modulo the number of elements.
package enum SimulationStep: Hashable, Sendable {
    /// An act on a device, or on its requests.
    case device(Int, DeviceAct)

    /// The delivery of an answer in flight.
    case answer(Int, AnswerFate)

    /// A request arrives whose device no longer waits for an answer.
    case late(Int)

    /// An act on the server.
    case server(ServerAct)

    /// A record, by its collection and pk.
    package struct Place: Hashable, Sendable {
        package var collection: String
        package var pk: String

        package init(collection: String, pk: String) {
            self.collection = collection
            self.pk = pk
        }
    }

    /// An act of the user or of the device, or an event of the device.
    package enum DeviceAct: Hashable, Sendable {
        /// Creates a record with a new word in its title.
        case create(Place, word: Int)
        /// Sets a field to a new word.
        case type(Place, field: String, word: Int)
        /// Removes a field.
        case clear(Place, field: String)
        /// Adds a new word at the end of an array or a text.
        case append(Place, field: String, word: Int)
        /// Removes an element of an array or a word of a text.
        case drop(Place, field: String, index: Int)
        /// Inserts a new word into an array or a text.
        case insert(Place, field: String, index: Int, word: Int)
        /// Moves an element of an array.
        case move(Place, field: String, index: Int, to: Int)
        /// Sets the element of an array with a key to a new word.
        case put(Place, field: String, key: Int, word: Int)
        /// Begins a draft of a record, which replaces an earlier draft.
        case draft(Place)
        /// Sets a field of the draft to a new word, and saves the draft.
        case save(Place, field: String, word: Int)
        /// Adds to a counter.
        case add(Place, Int)
        case delete(Place)
        /// Names a record in a field that is a reference. Only an earlier one of the same collection can be named, so that no names
        /// make a ring.
        case point(Place, to: Place)
        /// In one transaction: writes a new word into a record, or creates it; deletes another record; and adds 1 to a counter. It is
        /// a step of the undo history.
        case transact(Place, deleting: Place, word: Int, TransactionCourse)
        /// In a transaction: writes a new word into a field of a record, by the kind of the field. It is a step of the undo history.
        case amend(Place, field: String, word: Int)
        /// Undoes the last step of the history.
        case undo
        /// Does the last undone step again.
        case redo
        case release(Place)
        case resign(Place)
        /// Restores an entry of the journal.
        case restore(String, Int)
        case restoreLost(String)
        /// Reads a conflict for a later decision.
        case look(String, Int)
        /// Decides the conflict that was read, which may be outdated.
        case decide(String, Choice)
        /// Decides a present conflict.
        case resolve(String, Int, Choice)
        /// Begins a sync. Its requests wait for delivery.
        case begin(String)
        /// Performs a sync with all its requests.
        case sync(String)
        /// Performs syncs at the times of their reports, until no next try is due.
        case persist(String)
        /// Delivers or loses a request that waits.
        case carry(Int, RequestFate)
        /// The wake-up time of the device comes.
        case wake(String)
        case renew(String)
        case restart
        /// The store changes hands: the client that has it closes it, and a client opens it, maybe the same one.
        case hand(Client)
        /// The process restarts with a version of the app that writes edits differently from those in the store.
        case respell
        /// The store fails at a later write.
        case fail(Int)
        /// The store fails at a later write, and the process ends.
        case crash(Int)
        /// The device's clock jumps, by seconds.
        case clock(Int)
        /// The device uses the token of another account, or of its account again.
        case account(isOther: Bool)
        /// A second device begins with a copy of this one.
        case copy
        /// The app starts the run loop, which decides when to sync.
        case run
        /// The app stops the run loop.
        case stop
        /// Time passes on a device that runs, and on the server, in milliseconds. Requests in that time arrive.
        case later(Int)
        /// The network goes offline.
        case offline
        /// The network goes online.
        case online
        /// Delivers or loses the change notifications for an app that runs.
        case hear(HintFate)
    }

    /// A client that uses the store of a device in turns with the others (Contract §14).
    package enum Client: String, CaseIterable, Hashable, Sendable {
        /// The app that owns the store.
        case owner
        /// A guest with the server and with the owner's configuration.
        case guest
        /// A guest with the server, with another tactic, other policies, and small limits.
        case tool
        /// A guest without a server and without field rules, such as a widget.
        case reader

        /// Whether it may sync.
        var hasServer: Bool { self != .reader }
    }

    /// The course of a transaction.
    package enum TransactionCourse: String, CaseIterable, Hashable, Sendable {
        /// The closure returns.
        case ends
        /// The closure throws at its end, and nothing has changed.
        case fails = "throws"
        /// Calls that fail before they write, whose errors the closure catches.
        case catchesBefore = "catches-before"
        /// A call that fails after it has written, whose error the closure catches: nothing has changed.
        case catchesAfter = "catches-after"
        /// The addition is the save of a draft of the counter, which the user continues to change.
        case saves
        /// The draft is changed and saved twice.
        case savesTwice = "saves-twice"
        /// The draft is saved, and the closure throws at its end: nothing has changed, and the draft is not saved.
        case savesAndFails = "saves-throws"

        /// Whether nothing may be stored.
        package var isFailure: Bool {
            switch self {
            case .ends, .catchesBefore, .saves, .savesTwice: false
            case .fails, .catchesAfter, .savesAndFails: true
            }
        }

        /// How often the draft of the counter is saved.
        var saves: Int {
            switch self {
            case .ends, .fails, .catchesBefore, .catchesAfter: 0
            case .saves, .savesAndFails: 1
            case .savesTwice: 2
            }
        }
    }

    /// The delivery of the change notifications that wait for a device.
    package enum HintFate: String, CaseIterable, Hashable, Sendable {
        case whole, twice, lost, late
        /// The connection is dead without a sign.
        case dead
        /// The connection ends.
        case end
        /// A proxy lets no change notifications through.
        case refused
        /// The server sends more events than the device reads.
        case flood
    }

    /// The decision of the user.
    package enum Choice: Hashable, Sendable {
        case server, client, clashesForServer, clashesForClient, ask, keepBoth
        /// Each open clash is settled for a side: that with the number n for the client if the bit n is set.
        case fields(sides: Int)
        /// The client's record, or the server's if the client has none, with a new word as title.
        case merge(word: Int)
    }

    /// The delivery of a request and of its answer.
    package enum RequestFate: Hashable, Sendable {
        /// The request arrives, and its answer arrives.
        case whole
        /// The request arrives, and the answer is in flight.
        case slow
        /// The request arrives twice. The first answer arrives, and the second is in flight.
        case twice
        /// The request is lost, and the device stops waiting.
        case lost
        /// The device stops waiting, and the request arrives later.
        case late
        /// The request arrives, and the answer is lost.
        case answerLost
        /// The answer is cut after a number of bytes.
        case cut(Int)
        /// The request does not arrive, and a proxy answers with a status.
        case status(Int)
        /// The request arrives, and a proxy answers with a status nevertheless.
        case statusAfter(Int)
        /// A captive portal answers with a page of HTML and status 200.
        case html
        /// A redirect to another place.
        case redirect
        /// One edit of the request is refused for its content.
        case refuse(Int)
        /// One edit of the request does not arrive, and a busy proxy answers it.
        case busy(Int)
        /// The request does not arrive, and a busy proxy answers with Retry-After in seconds.
        case rest(Int)
    }

    /// The delivery of an answer in flight.
    package enum AnswerFate: String, CaseIterable, Hashable, Sendable {
        case hear, lose
        /// The answer arrives, and a copy arrives later.
        case hearAgain = "hear-again"
    }

    /// An act on the server.
    package enum ServerAct: Hashable, Sendable {
        case restart
        case backup
        /// The server is restored from its last backup.
        case restore
        /// The server begins a new, empty history.
        case anew
        /// A number of days passes, and tombstones and remembered answers beyond the horizon are purged.
        case purge(days: Int)
        /// The clock of the server jumps, by seconds.
        case clock(Int)
        /// The quota of an account from now on, in records and bytes; 0 for no limit.
        case room(rows: Int, bytes: Int)
        /// The server has a trouble from now on, or none any more.
        case trouble(Trouble)
    }
}

extension SimulationStep.DeviceAct {
    /// Whether the act needs a client with a server.
    var isSync: Bool {
        switch self {
        case .begin, .sync, .persist, .wake, .renew: true
        case .create, .type, .clear, .append, .drop, .insert, .move, .put, .draft, .save, .add, .delete, .point,
            .transact, .amend, .undo, .redo, .release, .resign, .restore, .restoreLost, .look, .decide, .resolve,
            .carry, .restart, .hand, .respell, .fail, .crash, .clock, .account, .copy, .run, .stop, .later, .offline,
            .online, .hear:
            false
        }
    }
}
