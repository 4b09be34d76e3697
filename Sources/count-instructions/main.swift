// Carries out each operation for one size and for twice that size, between two marks each. Run below a tool that counts
// instructions and closes a part of its count whenever `reachMark` is entered:
//
//     valgrind --tool=callgrind --dump-before='*reachMark*' --combine-dumps=yes count-instructions
//
// The parts are then, in turn, what came before an operation and the operation itself.

let wanted = CommandLine.arguments.dropFirst()
for operation in Operation.all where wanted.isEmpty || wanted.contains(where: operation.name.hasPrefix) {
    for size in [operation.size, 2 * operation.size] {
        let work = try operation.prepare(size)
        reachMark("begin \(size) \(operation.name)")
        try work()
        reachMark("end \(size) \(operation.name)")
    }
}
