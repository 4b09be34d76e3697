#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// The number of instructions of each operation of `count-instructions`, counted by valgrind.
    struct InstructionCount {
        /// One operation, for a size and for twice that size.
        struct Pair {
            var small: Int
            var large: Int

            var growth: Double { Double(self.large) / Double(self.small) }
        }

        /// The pairs by the name of the operation.
        private(set) var pairs: [String: Pair] = [:]

        /// Counts all operations in one run.
        init() throws {
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let profile = folder.url.appending(path: "profile")
            let run = try ProgramRun(
                URL(fileURLWithPath: "/usr/bin/env"),
                [
                    // Otherwise each run has other hashes, and sometimes more collisions.
                    "SWIFT_DETERMINISTIC_HASHING=1", "valgrind", "--quiet", "--tool=callgrind",
                    "--dump-before=*reachMark*", "--combine-dumps=yes",
                    "--callgrind-out-file=\(profile.path)", try Checkout.product("count-instructions").path,
                ])
            guard run.status == 0 else {
                throw Failure("valgrind is missing (scripts/setup --for-tests installs it), or failed: \(run.output)")
            }
            // Each mark closes a part of the count; the part that the mark "end" closes is the operation.
            let parts = try String(contentsOf: profile, encoding: .utf8).split(separator: "\n")
                .compactMap { $0.hasPrefix("totals: ") ? Int($0.dropFirst("totals: ".count)) : nil }
            let marks = run.output.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 2) }
            for (mark, count) in zip(marks, parts) where mark[0] == "end" {
                let name = String(mark[2])
                let small = self.pairs[name]?.small
                self.pairs[name] = Pair(small: small ?? count, large: count)
            }
        }

        struct Failure: Error, CustomStringConvertible {
            let description: String

            init(_ description: String) {
                self.description = description
            }
        }
    }
#endif
