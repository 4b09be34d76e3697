import TidemarkTesting

/// One step of a simulation: a plain value, drawn before anything is performed, so that a run can be cut and repeated.
///
/// A step that makes no sense in the state that it meets does nothing. Numbers of things (the second answer on its way, the
/// third conflict) are taken modulo how many there are.
package enum SimulationStep: Hashable, Sendable {
    /// Something happens on a device, or with what it sends.
    case device(Int, DeviceAct)

    /// Something happens to an answer on its way.
    case answer(Int, AnswerFate)

    /// A request arrives that its device has given up.
    case late(Int)

    /// Something happens to the server.
    case server(ServerAct)

    /// A record, by its collection and pk.
    package struct Place: Hashable, Sendable {
        package var collection: String
        package var pk: String

        init(collection: String, pk: String) {
            self.collection = collection
            self.pk = pk
        }
    }

    /// What a person does on a device, the device does, or becomes of it.
    package enum DeviceAct: Hashable, Sendable {
        /// A record with a new word in its title.
        case create(Place, word: Int)
        /// A new word in a field.
        case type(Place, field: String, word: Int)
        /// A field is removed.
        case clear(Place, field: String)
        /// A new word at the end of an array, or a text.
        case append(Place, field: String, word: Int)
        /// An element of an array, or a word of a text, is removed.
        case drop(Place, field: String, index: Int)
        /// A new word within an array, or a text.
        case insert(Place, field: String, index: Int, word: Int)
        /// An element of an array gets another place.
        case move(Place, field: String, index: Int, to: Int)
        /// A new word in the element of an array that has a key.
        case put(Place, field: String, key: Int, word: Int)
        /// Someone begins to work on a draft of a record, in place of one begun before.
        case draft(Place)
        /// A new word in a field of the draft, which is then saved.
        case save(Place, field: String, word: Int)
        /// A counter goes up.
        case add(Place, Int)
        case delete(Place)
        case release(Place)
        case resign(Place)
        /// An entry of the journal is brought back.
        case restore(String, Int)
        case restoreLost(String)
        /// Someone looks at a conflict, and decides later.
        case look(String, Int)
        /// What someone looked at is decided, however old it is.
        case decide(String, Choice)
        /// A conflict is decided as it is now.
        case resolve(String, Int, Choice)
        /// A sync begins; its requests wait to be carried.
        case begin(String)
        /// A sync, with all its requests carried.
        case sync(String)
        /// A sync, and another one whenever it says when the next is worthwhile, until none is.
        case persist(String)
        /// One of the requests that wait.
        case carry(Int, RequestFate)
        /// The time comes that the device wanted to be woken at.
        case wake(String)
        case renew(String)
        case restart
        /// The process begins again in a release that spells edits otherwise than the one that wrote those in the store.
        case respell
        /// The store fails at a write that is still to come.
        case fail(Int)
        /// The same, and the process ends with it.
        case crash(Int)
        /// The device's clock jumps, by seconds.
        case clock(Int)
        /// The device shows the token of another account, or its own again.
        case account(isOther: Bool)
        /// A second device begins with what this one has.
        case copy
        /// The app begins to run, and lets the run loop decide when to sync.
        case run
        /// It does not run any more.
        case stop
        /// Time passes where an app runs, and on the server, by milliseconds; what is asked meanwhile arrives.
        case later(Int)
        /// There is no network from now on.
        case offline
        /// There is one again.
        case online
        /// What the server hints, to an app that runs.
        case hear(HintFate)
    }

    /// What becomes of the hints that wait for a device.
    package enum HintFate: String, CaseIterable, Hashable, Sendable {
        case whole, twice, lost, late
        /// Nothing is heard on this connection any more, and nobody says so.
        case dead
        /// The connection ends.
        case end
        /// Something on the way lets no hints through.
        case refused
        /// More is sent than the device listens to.
        case flood
    }

    /// What a person decides.
    package enum Choice: Hashable, Sendable {
        case server, client, clashesForServer, clashesForClient, ask, keepBoth
        /// The client's record, or the server's where there is none, with a new word as title.
        case merge(word: Int)
    }

    /// What becomes of a request, and of its answer.
    package enum RequestFate: Hashable, Sendable {
        /// It arrives, and its answer too.
        case whole
        /// It arrives; the answer is on its way.
        case slow
        /// It arrives twice; the first answer is heard, and the second is on its way.
        case twice
        /// It does not arrive, and the device gives it up.
        case lost
        /// The device gives it up, and it arrives later.
        case late
        /// It arrives, and the answer does not.
        case answerLost
        /// The answer breaks off after so many bytes.
        case cut(Int)
        /// It does not arrive: something before the server answers with a status.
        case status(Int)
        /// It arrives; something before the server answers with a status all the same.
        case statusAfter(Int)
        /// A page of HTML with status 200, from whoever owns the network.
        case html
        /// A redirect to another place.
        case redirect
        /// One of its edits is refused for its content.
        case refuse(Int)
        /// One of its edits does not arrive, and is answered by someone who is busy.
        case busy(Int)
        /// It does not arrive: something before the server is busy, and says for how many seconds.
        case rest(Int)
    }

    /// What becomes of an answer on its way.
    package enum AnswerFate: String, CaseIterable, Hashable, Sendable {
        case hear, lose
        /// It is heard, and will be heard again.
        case hearAgain = "hear-again"
    }

    /// What becomes of the server.
    package enum ServerAct: Hashable, Sendable {
        case restart
        case backup
        /// It is put back to its last backup.
        case restore
        /// It begins a history of its own, with nothing in it.
        case anew
        /// Tombstones and remembered answers that are past the horizon are forgotten, after so many days.
        case purge(days: Int)
        /// Its clock jumps, by seconds.
        case clock(Int)
        /// How many records, and how many bytes of them, an account may have from now on; 0 for any number.
        case room(rows: Int, bytes: Int)
        /// Something is wrong with it from now on, or nothing any more.
        case trouble(Trouble)
    }
}
