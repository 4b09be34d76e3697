// Carries out operations between two marks each. Run below a tool that counts instructions and closes a part of its count
// whenever `reachMark` is entered:
//
//     valgrind --tool=callgrind --dump-before='*reachMark*' --combine-dumps=yes count-instructions
//
// The parts are then, in turn, what came before an operation and the operation itself.
//
// Each operation is done for one size and for twice that size, and a test compares the two. With `--core` it is what an app does
// all day, for one size, and scripts/counts compares it with what is committed.

var wanted = CommandLine.arguments.dropFirst()
let isCore = wanted.first == "--core"
if isCore { wanted = wanted.dropFirst() }

for operation in isCore ? Operation.core : Operation.all
where wanted.isEmpty || wanted.contains(where: operation.name.hasPrefix) {
    for size in isCore ? [operation.size] : [operation.size, 2 * operation.size] {
        let work = try operation.prepare(size)
        // What is made once in the life of a process is no part of it.
        if isCore { try operation.prepare(size)() }
        reachMark("begin \(size) \(operation.name)")
        try work()
        reachMark("end \(size) \(operation.name)")
    }
}
