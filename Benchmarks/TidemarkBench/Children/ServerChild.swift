import Foundation
import GeneratedRows
import ProcessFigures
import TidemarkListener
import TidemarkPostgres
import TidemarkServer

import CSystem

/// Runs the reference server on a file or the address of a database, with a number of records. It prints its port, and then
/// answers the commands `cpu` (seconds so far) and `memory` (MiB now).
enum ServerChild {
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 3, let rows = Int(arguments[1]), let connections = Int(arguments[2]) else {
            throw Unavailable("server STORE ROWS CONNECTIONS")
        }
        var limits = ServerLimits()
        // All clients use the open account, from this machine.
        limits.watchesOfAccount = limits.watches
        let address = PostgresAddress.isAddress(arguments[0]) ? try PostgresAddress(arguments[0]) : nil
        let core = ServerCore(
            storage: try address.map { try PostgresServerStorage($0) } ?? SQLiteServerStorage(.file(arguments[0])),
            limits: limits, now: { 1_763_000_000_000_000 })
        let hints = address.map { PostgresHints($0, for: core) }
        hints?.start()
        defer { hints?.stop() }
        try Self.fill(core, rows: rows)
        var settings = ListenerSettings(clientTimeout: .seconds(600))
        settings.connections = max(settings.connections, connections)
        settings.connectionsPerAddress = max(settings.connectionsPerAddress, connections)
        settings.watchesPerAddress = limits.watches
        let listener = try HTTPListener(core, settings: settings)
        ChildRole.say(listener.port)
        while let question = readLine() {
            switch question {
            case "cpu": ChildRole.say(Stopwatch.cpu)
            case "memory": ChildRole.say(Memory.resident ?? Memory.peak)
            case "connections": ChildRole.say(listener.openConnections)
            default: ChildRole.say("“\(question)” is not a command")
            }
        }
        listener.stop()
    }

    private static func fill(_ core: ServerCore, rows: Int) throws {
        var tasks = TaskMaker(seed: 1)
        for start in stride(from: 0, to: rows, by: 500) {
            let edits = (start..<min(start + 500, rows)).map { number in
                let task = tasks.next(number)
                return PostedBody.creation(requestID: "fill-\(number)", pk: task.pk, content: task.text)
            }
            let answer = core.handle(
                ServerRequest(method: "POST", target: "/v1/tasks?limit=1", body: PostedBody.bytes(edits)))
            guard answer.status == 200 else { throw Unavailable("the server refused its first records") }
        }
    }
}

/// The bodies of POSTs (Contract §5).
enum PostedBody {
    static func creation(requestID: String, pk: String, content: String) -> String {
        """
        {"request_id":"\(requestID)","pk":"\(pk)","sync_state":"CREATED","updated_at":null,\
        "edited_data":[{"op":"add","path":"","value":\(content)}]}
        """
    }

    static func bytes(_ edits: [String]) -> [UInt8] {
        Array(#"{"edits":[\#(edits.joined(separator: ","))]}"#.utf8)
    }
}
