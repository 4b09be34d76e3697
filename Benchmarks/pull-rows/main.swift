// Pulls rows that are made as they are asked for into a new store, and says a line each: the memory of this process before it
// begins, its peak, both in MiB, and the processor time in seconds.
//
//     pull-rows STORE ROWS PAGE
//
// A program of its own beside TidemarkBench, because that one links Foundation, libmicrohttpd and libpq. This one links what an
// app does that imports Tidemark, so that its memory is that of an app.

import GeneratedRows
import ProcessFigures

let words = CommandLine.arguments
guard words.count == 4, let rows = Int(words[2]), let pageSize = Int(words[3])
else { preconditionFailure("usage: pull-rows STORE ROWS PAGE") }
print(Memory.resident ?? Memory.peak)
do {
    try await StoreInStep.make(rows: rows, pageSize: pageSize, at: words[1])
    print(Memory.peak)
    print(ResourceUsage.ofThisProcess.cpu)
} catch {
    print(error)
}
