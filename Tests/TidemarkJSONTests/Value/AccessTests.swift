import Testing
import TidemarkJSON

@Suite struct `A value is read and written with Swift syntax` {
    @Test func `literals make values`() throws {
        let value: JSON = [
            "title": "Milk", "count": 3, "price": 1.5, "done": false, "tags": ["home", .null], "empty": [:],
        ]
        #expect(value.text == #"{"title":"Milk","count":3,"price":1.5,"done":false,"tags":["home",null],"empty":{}}"#)
        #expect(try JSON(parsing: value.text) == value)
    }

    @Test func `a member is reached by its name`() {
        var note: JSON = ["title": "Milk", "place": ["city": "Bern"]]
        #expect(note.title == "Milk")
        #expect(note.title?.string == "Milk")
        #expect(note.place?.city == "Bern")
        #expect(note.unknown == nil)
        #expect(note["title"]?["x"] == nil)
        note.title = "Oat milk"
        note.place?.city = "Basel"
        note.count = 2
        #expect(note.text == #"{"title":"Oat milk","place":{"city":"Basel"},"count":2}"#)
        note.place = nil
        note.count = .null
        #expect(note.text == #"{"title":"Oat milk","count":null}"#)
    }

    @Test func `setting a member of a scalar makes it an object, and removing one does nothing`() {
        var value: JSON = [1, 2]
        value.a = nil
        #expect(value == [1, 2])
        value.a = 1
        #expect(value == ["a": 1])
    }

    @Test func `an accessor of another type gives nil`() {
        let values: [JSON] = [.null, true, 1, 1.5, "s", [1], ["a": 1]]
        #expect(values.map(\.isNull) == [true, false, false, false, false, false, false])
        #expect(values.map(\.bool) == [nil, true, nil, nil, nil, nil, nil])
        #expect(values.map(\.int) == [nil, nil, 1, nil, nil, nil, nil])
        #expect(values.map(\.double) == [nil, nil, 1, 1.5, nil, nil, nil])
        #expect(values.map(\.string) == [nil, nil, nil, nil, "s", nil, nil])
        #expect(values.map { $0.array?.count } == [nil, nil, nil, nil, nil, 1, nil])
        #expect(values.map { $0.object?.count } == [nil, nil, nil, nil, nil, nil, 1])
        #expect(values.map { $0[0] } == [nil, nil, nil, nil, nil, 1, nil])
        #expect(values[5][1] == nil && values[5][-1] == nil)
    }

    @Test func `null is a value and not a missing one`() {
        let value: JSON = ["a": .null]
        #expect(value.a == .some(.null))
        #expect(value.b == nil)
        #expect(value != [:])
    }

    @Test func `the pretty text shows one member a line`() throws {
        let value = try JSON(parsing: #"{"a":[1,{"b":1.10}],"c":[],"d":{},"\u0065":"x"}"#)
        #expect(
            value.prettyText == """
                {
                  "a": [
                    1,
                    {
                      "b": 1.10
                    }
                  ],
                  "c": [],
                  "d": {},
                  "\\u0065": "x"
                }
                """)
    }
}
