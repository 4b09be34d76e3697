// Several server processes on one PostgreSQL, with writers, readers and devices, while processes are killed and connections are
// ended. At the end all accepted edits must exist, versions must be in order, no reader may have missed a row, and all must
// agree. scripts/postgres-many runs it.

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
