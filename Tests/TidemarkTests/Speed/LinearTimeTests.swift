#if os(Linux)
    import Testing

    @Suite("Contract §9: time is linear in the size of any input, hostile ones too") struct LinearTimeTests {
        /// The allowed growth of instructions for twice the input: twice, with a margin for sorting.
        static let growth = 2.5

        @Test func `twice the input takes at most 2.5 times the instructions, for any shape`() throws {
            let count = try InstructionCount()
            #expect(count.pairs.count > 40)
            let worse = count.pairs.filter { $0.value.growth > Self.growth }
            #expect(worse.isEmpty, "\(worse.map { "\($0.key): \($0.value.growth)" }.sorted().joined(separator: "\n"))")
        }
    }
#endif
