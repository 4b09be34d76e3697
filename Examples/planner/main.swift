import Foundation
import Tidemark

// usage: planner [STORE [URL]]       `help` lists the commands; try it with `tidemark serve --store server.db`
let arguments = CommandLine.arguments.dropFirst()
let client = try SyncClient(
    store: .sqlite(at: arguments.first ?? "planner.db"),
    remote: .http(arguments.dropFirst().first ?? "http://127.0.0.1:8080/v1"), configuration: .planner())
let terminal = PlannerTerminal(client)
let prompt = isatty(STDIN_FILENO) == 1 ? "> " : ""

// The main thread waits for a line, so the models are read when a command needs them: see PlannerTerminal.
while true {
    print(prompt, terminator: "")
    fflush(nil)
    guard let line = readLine(), line != "quit" else { break }
    print(await terminal.answer(line), terminator: "")
}
