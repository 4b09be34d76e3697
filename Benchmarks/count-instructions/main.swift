// Runs each operation between two marks. It is run under a tool that counts instructions and begins a new part of its count at
// each call of `reachMark`:
//
//     valgrind --tool=callgrind --dump-before='*reachMark*' --combine-dumps=yes count-instructions
//
// The parts are then, in turn, the work before an operation and the operation itself.
//
// Each operation runs with one size and with twice that size, and a test compares the two. With `--core` it runs the daily
// operations of an app with one size, and scripts/counts compares them with the committed counts.

var wanted = CommandLine.arguments.dropFirst()
let isCore = wanted.first == "--core"
if isCore { wanted = wanted.dropFirst() }

for operation in isCore ? Operation.core : Operation.all
where wanted.isEmpty || wanted.contains(where: operation.name.hasPrefix) {
    for size in isCore ? [operation.size] : [operation.size, 2 * operation.size] {
        let work = try operation.prepare(size)
        // A first run, since work that a process does once does not count.
        if isCore { try operation.prepare(size)() }
        reachMark("begin \(size) \(operation.name)")
        try work()
        reachMark("end \(size) \(operation.name)")
    }
}
