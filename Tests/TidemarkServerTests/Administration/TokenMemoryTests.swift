import Testing

@testable import TidemarkServer

@Suite("The cache of token look-ups")
struct TokenMemoryTests {
    private static let ada = ServerToken(account: "ada", label: "", digest: "d", addedAt: 0)

    private static func memory(unknown: Int = 8) -> TokenMemory {
        TokenMemory(span: .seconds(1), count: 8, unknownCount: unknown)
    }

    @Test(arguments: [Self.ada, nil])
    func `a look-up that a change of tokens overtook is not cached (W10)`(found: ServerToken?) {
        let memory = Self.memory()
        let generation = memory.generation
        memory.forget()
        memory.remember(found, ofDigest: "d", at: 0, generation: generation)
        memory.remember(isOpen: true, at: 0, generation: generation)
        #expect(memory.access(of: "d", at: 0) == nil)
        #expect(memory.isOpen(at: 0) == nil)
        memory.remember(found, ofDigest: "d", at: 0, generation: memory.generation)
        #expect(memory.access(of: "d", at: 0) == (found == nil ? .unknown : .account("ada")))
    }

    @Test func `an unknown token is cached for the span, and known once it is found`() {
        let memory = Self.memory()
        memory.remember(nil, ofDigest: "d", at: 0, generation: 0)
        #expect(memory.access(of: "d", at: 999_999) == .unknown)
        #expect(memory.access(of: "d", at: 1_000_000) == nil)
        memory.remember(Self.ada, ofDigest: "d", at: 1_000_000, generation: 0)
        #expect(memory.access(of: "d", at: 1_000_000) == .account("ada"))
        memory.remember(nil, ofDigest: "d", at: 1_000_001, generation: 0)
        #expect(memory.access(of: "d", at: 1_000_001) == .unknown)
    }

    @Test func `unknown tokens have a limit, and displace no known one`() {
        let memory = Self.memory(unknown: 2)
        memory.remember(Self.ada, ofDigest: "d", at: 0, generation: 0)
        for digest in ["u1", "u2", "u3"] { memory.remember(nil, ofDigest: digest, at: 0, generation: 0) }
        #expect(memory.access(of: "d", at: 0) == .account("ada"))
        #expect(memory.access(of: "u1", at: 0) == nil, "the third one has cleared their table")
        #expect(memory.access(of: "u3", at: 0) == .unknown)
    }
}
