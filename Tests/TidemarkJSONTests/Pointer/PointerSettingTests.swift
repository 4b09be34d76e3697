import Testing

@testable import TidemarkJSON

@Suite("A value is set at a pointer")
struct PointerSettingTests {
    static let note = #"{"title":"Milk","at":{"city":"Bern"},"tags":["a","b"],"a/b":1,"none":null}"#

    @Test(
        arguments: [
            ("/title", "Soy", #"{"title":"Soy","at":{"city":"Bern"},"tags":["a","b"],"a/b":1,"none":null}"#),
            ("/n", 5, #"{"title":"Milk","at":{"city":"Bern"},"tags":["a","b"],"a/b":1,"none":null,"n":5}"#),
            ("/at/city", nil, #"{"title":"Milk","at":{},"tags":["a","b"],"a/b":1,"none":null}"#),
            (
                "/at/zip", [3000],
                #"{"title":"Milk","at":{"city":"Bern","zip":[3000]},"tags":["a","b"],"a/b":1,"none":null}"#
            ),
            ("/tags/0", "A", #"{"title":"Milk","at":{"city":"Bern"},"tags":["A","b"],"a/b":1,"none":null}"#),
            ("/tags/2", "c", #"{"title":"Milk","at":{"city":"Bern"},"tags":["a","b","c"],"a/b":1,"none":null}"#),
            ("/tags/-", "c", #"{"title":"Milk","at":{"city":"Bern"},"tags":["a","b","c"],"a/b":1,"none":null}"#),
            ("/tags/0", nil, #"{"title":"Milk","at":{"city":"Bern"},"tags":["b"],"a/b":1,"none":null}"#),
            ("/a~1b", 2, #"{"title":"Milk","at":{"city":"Bern"},"tags":["a","b"],"a/b":2,"none":null}"#),
            ("/none", nil, #"{"title":"Milk","at":{"city":"Bern"},"tags":["a","b"],"a/b":1}"#),
            ("", ["n": 1], #"{"n":1}"#),
        ] as [(String, JSON?, String)])
    func `setting at a pointer replaces, adds or removes the value`(path: String, value: JSON?, text: String) throws {
        var parsed = try JSON(parsing: Self.note)
        var apart = JSON(storage: .members(try #require(parsed.members)))
        let pointer = try JSONPointer(parsing: path)
        parsed[pointer: pointer] = value
        apart[pointer: pointer] = value
        #expect(parsed.text == text)
        #expect(apart.text == text)
    }

    @Test(arguments: ["/nowhere/city", "/title/0", "/tags/2", "/tags/-", "/n"])
    func `removing a missing value changes nothing`(path: String) throws {
        var note = try JSON(parsing: Self.note)
        note[pointer: try JSONPointer(parsing: path)] = nil
        try note.setValue(nil, at: JSONPointer(parsing: path))
        #expect(note.text == Self.note)
    }

    @Test(
        arguments: [
            ("/nowhere/city", "Bern"), ("/title/0", "M"), ("/tags/3", "c"), ("/tags/x", "c"), ("/tags/01", "c"),
            ("/lines/b/text", "Milk"), ("/lines/b/text", nil), ("/lines/b", nil), ("/tags/01", nil), ("", nil),
        ] as [(String, JSON?)])
    func `a pointer that leads nowhere is refused, and nothing changes`(path: String, value: JSON?) throws {
        let pointer = try JSONPointer(parsing: path)
        var note = try JSON(parsing: Self.note)
        note.lines = [["id": "b", "text": "Oats"]]
        let before = note.text
        let error = #expect(throws: JSONError.self) { try note.setValue(value, at: pointer) }
        #expect(error?.code == .patch)
        #expect(note.text == before)
    }

    #if DEBUG
        @Test func `setting at a pointer that leads nowhere traps in a debug build`() async {
            await #expect(processExitsWith: .failure) {
                var note: JSON = ["lines": [["id": "b", "text": "Oats"]]]
                note[pointer: try JSONPointer(parsing: "/lines/b/text")] = "Milk"
            }
            await #expect(processExitsWith: .failure) {
                var note: JSON = ["lines": [["id": "b", "text": "Oats"]]]
                note[pointer: try JSONPointer(parsing: "/lines/b")] = nil
            }
            await #expect(processExitsWith: .failure) {
                var note: JSON = [:]
                note[pointer: try JSONPointer(parsing: "/address/city")] = "Bern"
            }
        }
    #endif

    @Test func `null is set as a value, and a Swift variable as JSON`() throws {
        let (pointer, text) = (try JSONPointer(parsing: "/title"), "Soy")
        var note: JSON = ["title": "Milk"]
        note[pointer: pointer] = JSON(text)
        #expect(note == ["title": "Soy"])
        note[pointer: pointer] = JSON.null
        #expect(note.text == #"{"title":null}"#)
    }

    @Test(arguments: seeds)
    func `a value that is set is read back, and no other place changes`(seed: UInt64) {
        forAll(seed: seed, cases: 200, { random in Pair(first: random.record(), second: random.value()) }) { pair in
            let (document, value) = (pair.first, pair.second)
            for place in document.places() {
                var changed = document
                changed[pointer: place] = value
                guard changed[pointer: place] == value else { return "“\(place)” is \(changed)" }
                for other in document.places() where !other.isPrefix(of: place) && !place.isPrefix(of: other) {
                    guard changed[pointer: other] == document[pointer: other] else { return "“\(other)” has changed" }
                }
                guard !place.isRoot else { continue }
                changed[pointer: place] = nil
                guard changed.places().count == document.places().count - document.places(below: place) else {
                    return "“\(place)” is not removed alone"
                }
            }
            return nil
        }
    }
}

extension JSON {
    /// The number of places at and below a place.
    fileprivate func places(below place: JSONPointer) -> Int { self.places().count { place.isPrefix(of: $0) } }
}
