// Pulls rows that are made on demand into a new store, and prints three lines: the memory of this process before the pull and
// its peak, both in MiB, and its CPU time in seconds.
//
//     pull-rows STORE ROWS PAGE
//
// It is separate from TidemarkBench, which links Foundation, libmicrohttpd and libpq. This program links the same libraries as an
// app that imports Tidemark, so its memory is that of an app.

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
