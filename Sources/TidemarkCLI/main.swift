import Foundation

let isDemo = CommandLine.arguments.dropFirst() == ["demo"]
guard isDemo else {
    FileHandle.standardError.write(Data("usage: tidemark demo\n".utf8))
    exit(64)
}
do {
    exit(try await Demo.run() ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("tidemark: \(error)\n".utf8))
    exit(1)
}
