import Foundation
import Testing
import TidemarkJSON

@Suite struct `Swift values are accepted as JSON` {
    @Test func `strings, numbers and Booleans are accepted, from literals and from variables`() throws {
        let (text, count, ratio, isDone) = ("Milk", 5, 2.5, true)
        let price = try #require(Decimal(string: "12345678901234567890.10"))
        #expect(JSON("text").text == #""text""# && JSON(text).text == #""Milk""#)
        #expect(JSON(5).text == "5" && JSON(count).text == "5" && JSON(UInt64.max).text == "18446744073709551615")
        #expect(JSON(Int128.max).text == "170141183460469231731687303715884105727")
        #expect(JSON(2.5).text == "2.5" && JSON(ratio).text == "2.5")
        #expect(JSON(true).text == "true" && JSON(isDone).text == "true")
        #expect(JSON(price).text == "12345678901234567890.1")
        #expect(JSON([text, "\"é\""]).text == #"["Milk","\"é\""]"#)
        #expect(["title": JSON(text), "n": JSON(count)] as JSON == ["title": "Milk", "n": 5])
    }

    @Test func `a number that JSON does not have traps`() async {
        await #expect(processExitsWith: .failure) { _ = JSON(Double.infinity) }
        await #expect(processExitsWith: .failure) { _ = JSON(-Double.nan) }
        await #expect(processExitsWith: .failure) { _ = JSON(Decimal.nan) }
        await #expect(processExitsWith: .failure) { _ = JSON([1, Double.nan]) }
        await #expect(processExitsWith: .failure) { _ = JSON(Double?.some(.infinity)) }
        await #expect(processExitsWith: .failure) {
            var note: JSON = [:]
            note.ratio = Double.infinity
        }
        #expect(JSON(Double.greatestFiniteMagnitude).double == .greatestFiniteMagnitude)
    }

    @Test func `JSON.string makes a string from a literal and from a variable`() {
        let text = "Milk"
        var note: JSON = ["title": .string(text), "other": .string("x")]
        note.title = .string(text)
        note["other"] = .string("y")
        #expect(note.text == #"{"title":"Milk","other":"y"}"#)
        #expect(["a", "b"].map(JSON.string) == ["a", "b"])
    }

    @Test func `a nil optional is null as a value, and removes the member when it is set`() {
        let (some, none): (String?, String?) = ("Milk", nil)
        #expect(JSON(some) == "Milk" && JSON(none).isNull)
        #expect(JSON(Int?.none).isNull && JSON(Double?.none).isNull && JSON(Bool?.none).isNull)
        #expect(JSON(Decimal?.none) == .null)
        var note: JSON = ["title": "Soy", "other": 1]
        note.title = some
        #expect(note.text == #"{"title":"Milk","other":1}"#)
        note.title = none
        #expect(note.text == #"{"other":1}"#)
        note.title = JSON(none)
        #expect(note.text == #"{"other":1,"title":null}"#)
    }

    @Test func `members are set from variables, and read as a type`() throws {
        var note: JSON = ["place": ["city": "Bern"]]
        let (title, count, tags) = ("Milk", 3, ["home", "shop"])
        let price = try #require(Decimal(string: "1.27"))
        note.title = title
        note["count"] = count
        note.tags = tags
        note.price = price
        note.place?.city = title
        #expect(
            note.text
                == #"{"place":{"city":"Milk"},"title":"Milk","count":3,"tags":["home","shop"],"price":1.27}"#)
        let readTitle: String? = note.title
        let readCount: Int? = note["count"]
        let readTags: [String]? = note.tags
        let readPrice: Decimal? = note.price
        let wrong: Int? = note.title
        #expect(readTitle == title && readCount == count && readTags == tags && readPrice == price && wrong == nil)
        note.count = (note.count ?? 0) + 1
        #expect(note.count == 4)
    }

    @Test func `elements are set, appended and removed`() {
        var note: JSON = ["tags": ["a", "b"], "lines": [["n": 1]]]
        let tag = "x"
        note.tags?[0] = "A"
        note.tags?[1] = tag
        note.tags?[2] = "c"
        note.tags?.append("d")
        note.tags?.append(tag)
        note.lines?[0]?.n = 2
        #expect(note.text == #"{"tags":["A","x","c","d","x"],"lines":[{"n":2}]}"#)
        note.tags?[0] = nil
        note.tags?[9] = nil
        note.unknown?.append("none")
        #expect(note.text == #"{"tags":["x","c","d","x"],"lines":[{"n":2}]}"#)
        let first: String? = note.tags?[0]
        #expect(first == "x")
    }

    @Test func `a missing member is created when it is changed`() {
        var note: JSON = ["title": "Milk"]
        note["tags", default: []].append("home")
        note["tags", default: []].append("shop")
        note["place", default: [:]].city = "Bern"
        #expect(note.text == #"{"title":"Milk","tags":["home","shop"],"place":{"city":"Bern"}}"#)
        #expect(note["none", default: 7] == 7)
        #expect(note.none == nil)
    }

    @Test func `a value that is not an array is used as an empty one`() {
        var value: JSON = "text"
        value[0] = "a"
        #expect(value == ["a"])
        var other: JSON = .null
        other.append(1)
        #expect(other == [1])
        other[0] = nil
        #expect(other == [])
    }

    #if DEBUG
        @Test func `setting an element at an index without a place traps in a debug build`() async {
            await #expect(processExitsWith: .failure) {
                var note: JSON = ["tags": ["a"]]
                note.tags?[9] = "far"
            }
            await #expect(processExitsWith: .failure) {
                var note: JSON = ["tags": ["a"]]
                note.tags?[-1] = "before"
            }
            await #expect(processExitsWith: .failure) {
                var value: JSON = "text"
                value[1] = "b"
            }
        }
    #endif
}
