import Foundation
import Tidemark
import TidemarkAdapters
import TidemarkTesting

/// A restart, a backup or a restore of the server between two checks, by a shell command of the user.
enum OperatorCommand {
    /// How long the command may run, and how long the server may take to answer after it.
    private static let limit = Duration.seconds(60)

    /// The time between two looks.
    private static let pause = Duration.milliseconds(100)

    /// Runs a shell command, and waits until the server answers. The command has to end: a server that it starts runs in the
    /// background.
    static func run(_ command: String, of option: Option, _ carrier: some ConformanceCarrier) async throws {
        let child = try Self.start(command, of: option)
        var status: CInt = 0
        guard try await self.wait(until: { waitpid(child, &status, WNOHANG) != 0 }) else {
            kill(child, SIGTERM)
            throw RemoteFailure(
                .offline,
                "The command of \(option.name) did not end within 60 s. Start a server in the background (&, or a service)."
            )
        }
        guard status == 0 else {
            // The status of an exit is in the second byte (POSIX, wait).
            throw RemoteFailure(
                .offline,
                "The command of \(option.name) failed with status \((status >> 8) & 0xFF). Correct the command.")
        }
        guard try await self.wait(until: { await Self.answers(carrier) }) else {
            throw RemoteFailure(
                .offline, "The server did not answer within 60 s after the command of \(option.name). Look at its log.")
        }
    }

    /// Starts a shell. `Process` would wait until also the server that the command starts has ended.
    private static func start(_ command: String, of option: Option) throws(RemoteFailure) -> pid_t {
        let words: [UnsafeMutablePointer<CChar>?] = ["/bin/sh", "-c", command].map { strdup($0 as String) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] =
            ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in words + variables { free(word) } }
        #if canImport(Darwin)
            // A pointer there.
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Standard output is the result of the checks.
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        var child = pid_t()
        let error = posix_spawn(&child, "/bin/sh", &actions, nil, words, variables)
        guard error == 0 else {
            throw RemoteFailure(
                .offline, "The command of \(option.name) can't be run: \(String(cString: strerror(error)))")
        }
        return child
    }

    private static func wait(until isDone: () async -> Bool) async throws -> Bool {
        let end = ContinuousClock.now + self.limit
        while ContinuousClock.now < end {
            if await isDone() { return true }
            try await Task.sleep(for: self.pause)
        }
        return false
    }

    /// Whether the server answers, whatever it answers; a busy proxy before it does not count.
    private static func answers(_ carrier: some ConformanceCarrier) async -> Bool {
        do throws(RemoteFailure) {
            return try await carrier.send(.list).status < 500
        } catch {
            return false
        }
    }
}
