import Tidemark
import TidemarkTesting

// In an app: store: .sqlite("notes"), remote: .http(url, token: token)
let server = try InProcessServer()
let phone = try SyncClient(store: MemoryStore(), remote: InProcessRemote(server))["notes"]
let laptop = try SyncClient(store: MemoryStore(), remote: InProcessRemote(server))["notes"]

try await phone.create(["title": "Milk", "tags": ["home"]], pk: "42")
for device in [phone, laptop] { print(try await device.sync().outcome) }

// Both edit the same record; neither needs a network for that.
try await phone["42"].edit { $0.title = "Oat milk" }
try await laptop["42"].edit { $0.done = true }

for device in [phone, laptop, phone] { print(try await device.sync().outcome) }
for device in [phone, laptop] { print(try await device["42"].get()?.text ?? "gone") }
