import Foundation

/// `tidemark-proof turns`: several processes use one store in turns, are killed and stopped at random, and lose answers of the
/// server. At the end everything that they logged is compared with the store and the server.
enum TurnsCommand {
    static func run(_ words: some Sequence<String>) async throws -> Bool {
        let options: Set = ["--operations", "--workers", "--seed", "--worker", "--role", "--folder", "--url"]
        let input = try ProofWords(words, options: options, flags: [])
        let seed = UInt64(try input.number("--seed") ?? Int.random(in: 1...1_000_000))
        if let worker = try input.number("--worker") { try await Self.work(as: worker, input, seed) }
        let workers = try input.number("--workers") ?? 2 + Int(seed % 3)
        guard 2...4 ~= workers else { throw ProofUsage("--workers \(workers) is not a number from 2 to 4") }
        let ring = try await TurnsRing(
            workers: workers, operations: try input.number("--operations") ?? 2_000, seed: seed)
        do {
            print(try await ring.run())
            ring.removeFolder()
            return true
        } catch {
            say("turns with \(workers) processes, seed \(seed): \(error)")
            say("the store and the logs are in \(ring.folder.path)")
            return false
        }
    }

    /// Runs one of the processes.
    private static func work(as worker: Int, _ input: ProofWords, _ seed: UInt64) async throws {
        guard let role = input.value("--role").flatMap(TurnsWorld.Role.init), let url = input.value("--url"),
            let folder = input.value("--folder")
        else { throw ProofUsage("--worker is for processes that the command starts") }
        var process = try TurnsWorker(
            worker, role, in: URL(fileURLWithPath: folder, isDirectory: true), url: url, seed: seed)
        try await process.run()
    }
}
