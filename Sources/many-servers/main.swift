// Several server processes on one PostgreSQL, with writers, readers and devices, while processes are killed and connections
// ended. What was accepted has to be there in the end, versions have to come in order, no reader may miss a row, and all have
// to agree. scripts/postgres-many runs it.

import Foundation

let settings: Settings
do {
    settings = try Settings(CommandLine.arguments.dropFirst())
} catch {
    FileHandle.standardError.write(Data("many-servers: \(error)\n".utf8))
    exit(64)
}

let day = try Day(settings)
let problems = await day.run()
for problem in problems.prefix(20) { print("WRONG: \(problem)") }
print(await day.summary())
exit(problems.isEmpty ? 0 : 1)
