// What an example of the documentation may assume. Examples are compiled and never run, so nothing here has a value.

import Foundation
import Tidemark
import TidemarkServer
import TidemarkTesting

private func assumed<Value>() -> Value {
    preconditionFailure("An example of the documentation is compiled, and never run.")
}

// MARK: What an app has

/// Where the app keeps its store.
var path: String { assumed() }

/// Where the server is.
var url: URL { assumed() }

/// What the server knows the app by.
var token: String { assumed() }

/// The way to the server.
var remote: HTTPRemote { assumed() }

/// The app's client, and a collection of it.
var client: SyncClient { assumed() }
var notes: SyncCollection { assumed() }

/// How the app's client syncs.
var configuration: SyncConfiguration {
    get { assumed() }
    set { _ = newValue }
}

/// A record as the app sees it.
struct Note: Codable, Sendable {
    var title: String
    var done: Bool?
}

/// Someone who can be asked.
struct Office: Sendable {
    func prefersServer(_ pk: String) async throws -> Bool { assumed() }
    func newToken(after spent: String?) async throws -> String { assumed() }
    func agrees(to question: String) async -> Bool { assumed() }

    /// The names of collections that have moved.
    var news: AsyncStream<String> { assumed() }
}

var office: Office { assumed() }

/// An error of the app's own.
struct SoldOut: Error {}

/// What is on the screen.
struct Widget: Sendable {
    var text: String {
        get { assumed() }
        nonmutating set { _ = newValue }
    }

    var isHidden: Bool {
        get { assumed() }
        nonmutating set { _ = newValue }
    }

    func set(_ count: Int, of total: Int?) {}
}

var label: Widget { assumed() }
var field: Widget { assumed() }
var spinner: Widget { assumed() }
var bar: Widget { assumed() }

// MARK: What an app is tested with

/// A server in the process.
var server: InProcessServer { assumed() }

/// What an author of a store or a remote brings along.
typealias MyStore = MemoryStore

struct MyServer: Sendable {
    var port = 0
    var token = ""

    init() throws {}
}

struct MyRemote: Remote {
    init(to server: MyServer) {}

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer { assumed() }
}

// MARK: JSON, wire and server

/// A document, a body, an answer's bytes, and what takes in rows.
var document: JSON { assumed() }
var body: [UInt8] { assumed() }
var answer: [UInt8] { assumed() }
func store(pk: ArraySlice<UInt8>, data: ArraySlice<UInt8>) {}

/// A request of a client, and what a carrier brought back for it.
var request: ExchangeRequest { assumed() }
var response: ServerResponse { assumed() }

/// A server without a socket, and where it keeps its rows.
var core: ServerCore { assumed() }
var storage: SQLiteServerStorage { assumed() }
