import Testing
import Tidemark

@Test func `the longer title wins, and the other rules apply`() throws {
    let merge = try shopRules().merge(
        base: ["title": "Milk", "count": 5], server: ["title": "Oat milk", "count": 8],
        client: ["title": "Milch", "count": 6])
    #expect(merge.merged == ["title": "Oat milk", "count": 9])
    #expect(merge.clashes.map(\.path.text) == ["/title"])
}
