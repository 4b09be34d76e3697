// Does what an app does with a store, and prints three lines: the memory of this process before that and its peak, both in MiB, and
// its CPU time in seconds.
//
//     pull-rows STORE ROWS PAGE       pulls rows that are made on demand into a new store
//     pull-rows STORE                 as a widget: reads a page of 20 records, and edits one
//
// It is separate from TidemarkBench, which links Foundation, libmicrohttpd and libpq. This program links the same libraries as an
// app that imports Tidemark, so its memory is that of an app.

import GeneratedRows
import ProcessFigures

let words = CommandLine.arguments
print(Memory.resident ?? Memory.peak)
do {
    if words.count == 2 {
        try await StoreInStep.editAsWidget(at: words[1])
    } else {
        guard words.count == 4, let rows = Int(words[2]), let pageSize = Int(words[3])
        else { preconditionFailure("usage: pull-rows STORE [ROWS PAGE]") }
        try await StoreInStep.make(rows: rows, pageSize: pageSize, at: words[1])
    }
    print(Memory.peak)
    print(ResourceUsage.ofThisProcess.cpu)
} catch {
    print(error)
}
