import Testing

@testable import TidemarkCLI

@Suite struct `The names of a file` {
    private static let repeated = [700, 5, 6, 300]

    /// A thousand names, and then some of them again.
    private static func noteAll(_ places: inout FirstPlaces) throws -> [Int?] {
        for line in 1...1_000 {
            #expect(try places.note("name \(line)", at: FirstPlaces.Place(line: line, column: 7)) == nil)
        }
        return try Self.repeated.enumerated().map { place, line in
            try places.note("name \(line)", at: FirstPlaces.Place(line: 1_001 + place, column: 7))?.line
        }
    }

    @Test func `A repeated name is found in memory`() throws {
        var places = FirstPlaces(largest: 2_048)
        #expect(try Self.noteAll(&places) == Self.repeated)
        #expect(try places.firstRepeated() == nil)
    }

    @Test func `The first repeated name is found in the temporary file`() throws {
        var places = FirstPlaces(largest: 64)
        #expect(try Self.noteAll(&places) == [nil, nil, nil, nil])
        let (again, first) = try #require(try places.firstRepeated())
        #expect(again.line == 1_001 && again.column == 7)
        #expect(first.line == 700 && first.column == 7)
    }

    @Test func `Names that come once are not reported`() throws {
        var places = FirstPlaces(largest: 64)
        for line in 1...5_000 {
            #expect(try places.note("name \(line)", at: FirstPlaces.Place(line: line, column: 1)) == nil)
        }
        #expect(try places.firstRepeated() == nil)
    }
}
