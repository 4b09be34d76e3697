extension ExchangeWorld {
    /// One step that can be taken.
    public enum Move: Hashable, Sendable {
        /// What the app does with a record.
        public enum Act: String, Hashable, Sendable {
            case create, type, add, delete, poison, dislike, release, resign, takeServer, takeClient
        }

        /// What another device does with a record.
        public enum OthersAct: String, Hashable, Sendable {
            case create, type, add, delete
        }

        /// What becomes of a request.
        public enum Fate: String, CaseIterable, Hashable, Sendable {
            case lost, late, answerLost, busy, busyAfter, unauthorised, elsewhere, inPart, notKnown, unanswered, garbage
            case tooMuch, cancelled, resting, standsStill, storeFails, killed, portal, tooLarge, forbidden
        }

        /// What becomes of the server.
        public enum ServerTurn: String, Hashable, Sendable {
            case purge, goBack, beginAnew
        }

        /// The app does something.
        case act(Act, String)

        /// Another device does something.
        case other(OthersAct, String)

        /// Another device does something that is not visible yet.
        case begins(OthersAct, String)

        /// What another device began becomes visible, or comes to nothing.
        case becomesVisible

        /// Someone asks for a sync.
        case sync

        /// The time of the next try comes.
        case wake

        /// The app renews its credentials.
        case renew

        /// The request arrives, and its answer.
        case answer

        /// The request, or its answer, fails.
        case fail(Fate)

        /// A request that was given up arrives.
        case arriveLate

        /// One that was given up never arrives.
        case dropLate

        /// Something becomes of the server.
        case server(ServerTurn)
    }
}

extension ExchangeWorld.Move: CustomStringConvertible {
    /// What happens, in words.
    public var description: String {
        switch self {
        case .act(let act, let pk): "the app \(act.words) \(pk)"
        case .other(let act, let pk): "another device \(act.words) \(pk)"
        case .begins(let act, let pk): "another device \(act.words) \(pk), which is not visible yet"
        case .becomesVisible: "what another device began becomes visible"
        case .sync: "a sync is asked for"
        case .wake: "the time of the next try has come"
        case .renew: "the app renews its credentials"
        case .answer: "the server answers"
        case .fail(let fate): fate.words
        case .arriveLate: "a request that was given up arrives"
        case .dropLate: "a request that was given up never arrives"
        case .server(let turn): turn.words
        }
    }
}

extension ExchangeWorld.Move.Act {
    fileprivate var words: String {
        switch self {
        case .create: "makes"
        case .type: "types into"
        case .add: "adds to the counter of"
        case .delete: "deletes"
        case .poison: "types what breaks a whole request into"
        case .dislike: "types what the server refuses into"
        case .release: "releases"
        case .resign: "gives up the change of"
        case .takeServer: "decides for the server about"
        case .takeClient: "decides for itself about"
        }
    }
}

extension ExchangeWorld.Move.OthersAct {
    fileprivate var words: String {
        switch self {
        case .create: "makes"
        case .type: "types into"
        case .add: "adds to the counter of"
        case .delete: "deletes"
        }
    }
}

extension ExchangeWorld.Move.Fate {
    fileprivate var words: String {
        switch self {
        case .lost: "the request is lost"
        case .late: "the request is given up, and may arrive later"
        case .answerLost: "the server takes the request, and its answer is lost"
        case .busy: "the server is busy (503) and takes nothing"
        case .busyAfter: "the server takes the request and says 503"
        case .unauthorised: "the server does not know the credentials (401)"
        case .elsewhere: "another account answers"
        case .inPart: "the server takes one edit, and then the answer breaks off"
        case .notKnown: "the server takes all, and says of the first edit that it does not know"
        case .unanswered: "the server takes all, and leaves the last edit without a result"
        case .garbage: "the server takes the request, and its answer makes no sense"
        case .tooMuch: "the server takes the request, and its answer is too large"
        case .cancelled: "the app cancels; the request may arrive later"
        case .resting: "the server answers, and wants to be left alone"
        case .standsStill: "the server answers with the watermark of the request, and says that there is more"
        case .storeFails: "the server answers, and the store can't take it in"
        case .killed: "the process is killed and started; the request may arrive later"
        case .portal: "a portal answers"
        case .tooLarge: "the request is refused as too large (413)"
        case .forbidden: "the request is refused as forbidden (403)"
        }
    }
}

extension ExchangeWorld.Move.ServerTurn {
    fileprivate var words: String {
        switch self {
        case .purge: "the server forgets its tombstones"
        case .goBack: "the server is put back to its backup"
        case .beginAnew: "the server begins another history, without rows"
        }
    }
}
