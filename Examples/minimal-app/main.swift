import Tidemark

// The smallest app with Tidemark: `make bench` measures its size.
let path = CommandLine.arguments.dropFirst().first ?? "notes.db"
let client = try SyncClient(store: .sqlite(at: path), remote: .http("http://127.0.0.1:8080/v1"))
try await client["notes"].create(["title": "Milk"])
print(try await client.sync().outcome)
