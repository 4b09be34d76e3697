// The declarations that examples of the documentation use. Examples are compiled and never run, so nothing here has a value.
// What stands for a local constant of an app is nonisolated: under default isolation to the main actor it would not be one.

import Foundation
import Tidemark
import TidemarkAdapters
import TidemarkServer
import TidemarkTesting

private nonisolated func assumed<Value>() -> Value {
    preconditionFailure("An example of the documentation is compiled, and never run.")
}

// MARK: The parts of an app

/// The path of the app's store.
nonisolated var path: String { assumed() }

/// The address of the server.
nonisolated var url: URL { assumed() }

/// The app's access token.
nonisolated var token: String { assumed() }

/// The connection to the server.
nonisolated var remote: HTTPRemote { assumed() }

/// The app's client, and a collection of it.
nonisolated var client: SyncClient { assumed() }
nonisolated var notes: SyncCollection<Note> { assumed() }

/// Another collection of it, its records, and a query about them.
nonisolated var todos: SyncCollection<Todo> { assumed() }

nonisolated struct Todo: Codable, Sendable {
    var title: String
    var list: String?
}

nonisolated enum Status: String, Codable, JSONConvertible { case open, done }

enum Field {
    static let done = JSONField<Bool>("/done")
    static let price = JSONField<JSON>("/price")
}

nonisolated var open: RecordQuery { assumed() }

/// The configuration of the app's client.
var configuration: SyncConfiguration {
    get { assumed() }
    set { _ = newValue }
}

/// A record as the app sees it.
nonisolated struct Note: Codable, Sendable {
    var title: String
    var done: Bool?
}

/// Answers the app's questions.
struct Office: Sendable {
    func prefersServer(_ pk: String) async throws -> Bool { assumed() }
    func newToken(after spent: String?) async throws -> String { assumed() }
    func agrees(to question: String) async -> Bool { assumed() }

    /// The names of changed collections.
    var news: AsyncStream<String> { assumed() }
}

var office: Office { assumed() }

/// An app's own error.
struct SoldOut: Error {}

/// The app's view.
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

// MARK: The parts of an app's tests

/// A server in the process.
var server: InProcessServer { assumed() }

/// The types of an author of a store or a remote.
typealias MyStore = MemoryStore

struct MyServer: Sendable {
    var port = 0
    var token = ""

    init() throws {}
}

struct MyRemote: Remote {
    let capabilities = RemoteCapabilities.native

    init(to server: MyServer) {}

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer { assumed() }
}

// MARK: JSON, wire and server

/// A document, a body, and the bytes of an answer.
var document: JSON { assumed() }
var body: [UInt8] { assumed() }
var answer: [UInt8] { assumed() }
func store(pk: ArraySlice<UInt8>, data: ArraySlice<UInt8>) {}

/// A request of a client, and the HTTP client's answer to it.
var request: ExchangeRequest { assumed() }
var response: ServerResponse { assumed() }

/// A server without a socket, and its storage.
var core: ServerCore { assumed() }
var storage: SQLiteServerStorage { assumed() }
