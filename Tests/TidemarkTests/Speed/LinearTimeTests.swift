#if os(Linux)
    import Testing

    @Suite("SPEC §9: time is linear in the size of any input, hostile ones too") struct LinearTimeTests {
        /// Twice the input may take this many times the instructions: twice, and what sorting takes.
        static let growth = 2.5

        @Test func `twice the input takes at most 2.5 times the instructions, whatever the shape`() throws {
            let count = try InstructionCount()
            #expect(count.pairs.count > 40)
            let worse = count.pairs.filter { $0.value.growth > Self.growth }
            #expect(worse.isEmpty, "\(worse.map { "\($0.key): \($0.value.growth)" }.sorted().joined(separator: "\n"))")
        }
    }
#endif
