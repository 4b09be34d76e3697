import TestSupport
import Testing
import TidemarkJSON
import TidemarkJSONStream

@Suite struct `Elements of JSON that comes in pieces` {
    private static let text = "[{\"n\": 1.10, \"n\":1e400},\n \"\\u00e9\\/é\" ,-0,\n\n  [ ],null,{\"ä\":\n[1]}]\n"

    @Test(arguments: [1, 2, 3, 5, 8, Int.max])
    func `Each element has its exact text and its place`(_ chunk: Int) throws {
        let result = StreamResult(Self.text, chunk: chunk)
        #expect(result.error == nil)
        #expect(
            result.texts == ["{\"n\": 1.10, \"n\":1e400}", "\"\\u00e9\\/é\"", "-0", "[ ]", "null", "{\"ä\":\n[1]}"])
        #expect(result.elements.map(\.line) == [1, 2, 2, 4, 4, 4])
        #expect(result.elements.map(\.column) == [2, 2, 16, 3, 7, 12])
        #expect(result.elements.map(\.byteOffset) == [1, 26, 40, 47, 51, 56])
        #expect(result.elements[0].value["n"]?.text == "1e400")
        let warning = try #require(result.elements[0].warnings.first)
        #expect(warning.line == 1 && warning.column == 14 && warning.pointer == "/n")
    }

    @Test func `An element is returned as soon as it is whole`() throws {
        let reader = JSONStreamReader()
        reader.feed(Array("[{\"a\":1},".utf8))
        #expect(try reader.next()?.value == ["a": 1])
        #expect(try reader.next() == nil)
        reader.feed(Array("2".utf8))
        // The number may have more digits.
        #expect(try reader.next() == nil)
        reader.feed(Array("0,{".utf8))
        #expect(try reader.next()?.value == 20)
        reader.feed(Array("}]".utf8))
        #expect(try reader.next()?.value == [:])
        reader.finish()
        #expect(try reader.next() == nil)
        #expect(try reader.next() == nil)
    }

    @Test func `The elements before an error are returned, and the error is thrown again`() throws {
        let reader = JSONStreamReader()
        reader.feed(Array("[1,\n2,\nx]".utf8))
        #expect(try reader.next()?.value == 1)
        #expect(try reader.next()?.value == 2)
        for _ in 0..<2 {
            let error = try #require(throws: JSONError.self) { try reader.next() }
            #expect(error.description.hasPrefix("line 3, column 1: found 'x' where a value is expected"))
        }
    }

    @Test(arguments: [
        ("1\n2.50\n", ["1", "2.50"]), ("{\"a\":1}{\"a\":2}[3] \"x\"\n\n", ["{\"a\":1}", "{\"a\":2}", "[3]", "\"x\""]),
        ("{\n  \"a\": 1\n}\n", ["{\n  \"a\": 1\n}"]), ("", []), (" \n", []), ("true false", ["true", "false"]),
        ("12", ["12"]),
    ])
    func `Values one after another are elements`(_ text: String, _ expected: [String]) {
        for chunk in [1, 4, Int.max] {
            let result = StreamResult(text, .values, chunk: chunk)
            #expect(result.error == nil && result.texts == expected)
        }
    }

    @Test(arguments: ["truefalse", "1\"a\"", "-1-2", "\"a\"\"b\"", "1{}", "null1"])
    func `Two values without white space between them are an error`(_ text: String) {
        for chunk in [1, 2, Int.max] {
            let error = StreamResult("\n" + text, .values, chunk: chunk).error
            #expect(error?.line == 2 && error?.code == .trailing, "\(String(describing: error))")
        }
    }

    @Test func `A text that begins with a bracket is an array, unless values are requested`() {
        #expect(StreamResult(" [1,2]").texts == ["1", "2"])
        #expect(StreamResult("[1]\n[2]", .values).texts == ["[1]", "[2]"])
        #expect(StreamResult("[1]\n[2]").error?.code == .trailing)
        #expect(StreamResult("{\"a\":1}\n[2]").texts == ["{\"a\":1}", "[2]"])
    }

    @Test(arguments: [
        (
            "/records", #"{"a":{"records":[0]},"records":[1,{"records":[9]},2],"b":[3]}"#,
            ["1", "{\"records\":[9]}", "2"]
        ),
        ("", "[1]", ["1"]), ("/0/1", "[[5,[6,7]],[8]]", ["6", "7"]), ("/a~1b/", #"{"a/b":{"":[1]}}"#, ["1"]),
        ("/é/0", #"{"\u00e9":[[1,2]]}"#, ["1", "2"]), ("/a", #"{"a":[]}"#, []), ("/1", "[0,[3],[4]]", ["3"]),
    ])
    func `The elements of the array at a pointer are returned`(
        _ pointer: String, _ text: String, _ expected: [String]
    ) throws {
        for chunk in [1, 3, Int.max] {
            let result = StreamResult(text, .array(at: try JSONPointer(parsing: pointer)), chunk: chunk)
            #expect(result.error == nil, "\(String(describing: result.error))")
            #expect(result.texts == expected)
        }
    }

    @Test(arguments: [
        ("/a", #"{"b":[1]}"#, "line 1, column 10, at /a: the text has no array at “/a”"),
        ("/a", #"{"a":{"b":[1]}}"#, "line 1, column 6, at /a: “/a” is an object, and the elements of an array"),
        ("/a", #"{"a":  5}"#, "line 1, column 8, at /a: “/a” is a single value"), ("", "{}", "the text is an object"),
        ("/a/b", #"{"a":[]}"#, "has no array at “/a/b”"), ("/0", "[]", "has no array at “/0”"),
        ("/a", "{\"a\":[1],\n\"a\":[2]}", "line 2, column 5: “/a” comes twice"),
        ("/a", #"{"a":[1],"b":"\ud800"}"#, "line 1, column 15: this \\u escape is one half"),
    ])
    func `An array that is not at the pointer is an error`(_ pointer: String, _ text: String, _ message: String) throws
    {
        for chunk in [1, 3, Int.max] {
            let result = StreamResult(text, .array(at: try JSONPointer(parsing: pointer)), chunk: chunk)
            #expect(result.error?.description.contains(message) == true, "\(String(describing: result.error))")
        }
    }

    @Test(arguments: [
        ("", #"{"a":{"n":{}},"b\n" :[1] , "a":5}"#, ["a", "b\n", "a"], [#"{"n":{}}"#, "[1]", "5"]), ("", "{}", [], []),
        ("/x/0", #"{"y":{"0":{}},"x":[{"k":"v"},{"l":1}]}"#, ["k"], [#""v""#]),
    ])
    func `The members of the object at a pointer are returned with their keys`(
        _ pointer: String, _ text: String, _ keys: [String], _ texts: [String]
    ) throws {
        for chunk in [1, 3, Int.max] {
            let result = StreamResult(text, .members(at: try JSONPointer(parsing: pointer)), chunk: chunk)
            #expect(result.error == nil, "\(String(describing: result.error))")
            #expect(result.elements.map(\.key) == keys)
            #expect(result.texts == texts)
        }
    }

    @Test(arguments: [
        (
            "", "[{}]",
            "the text is an array, and the members of an object were requested; name the object by its pointer"
        ),
        ("/a", #"{"a":5}"#, "“/a” is a single value"), ("/b", #"{"a":{}}"#, "the text has no object at “/b”"),
        ("", #"{"a":1"#, "the text ends inside the object"), ("", #"{"a":1}{}"#, "column 8: found '{'"),
        ("", #"{"\ud800":1}"#, "this \\u escape is one half"), ("/a", #"{"a":{},"a":{}}"#, "“/a” comes twice"),
        ("", #"{"a":1,}"#, "line 1, column 8"), ("", #"{"a" 1}"#, "column 6: found '1'"),
    ])
    func `An object that is not at the pointer is an error`(_ pointer: String, _ text: String, _ message: String) throws
    {
        for chunk in [1, 3, Int.max] {
            let result = StreamResult(text, .members(at: try JSONPointer(parsing: pointer)), chunk: chunk)
            #expect(result.error?.description.contains(message) == true, "\(String(describing: result.error))")
        }
    }

    @Test func `An element over a limit is an error with its place, and a text of any size is not`() {
        let limits = JSON.Limits(nestingDepth: 2, bytes: 10)
        #expect(
            StreamResult("[[[1]],\n" + String(repeating: "1234567890,", count: 1_000) + "0]", limits: limits).error
                == nil)
        for chunk in [1, 7, Int.max] {
            let large = StreamResult("[1,\n  {\"a\":123456}]", chunk: chunk, limits: limits)
            #expect(large.texts == ["1"])
            #expect(large.error?.code == .tooLarge && large.error?.line == 2 && large.error?.column == 3)
            // The end of such a value need not arrive.
            let open = StreamResult("[1,\n  \"" + String(repeating: "x", count: 20), chunk: chunk, limits: limits)
            #expect(open.error?.code == .tooLarge && open.error?.line == 2 && open.error?.column == 3)
            let deep = StreamResult("[1,\n [[[]]]]", chunk: chunk, limits: limits)
            #expect(deep.error?.code == .nesting && deep.error?.line == 2 && deep.error?.column == 4)
        }
    }

    @Test func `White space between elements needs no memory`() {
        let space = String(repeating: " \n", count: 1_000)
        for chunk in [3, 50] {
            let limits = JSON.Limits(bytes: 10)
            let result = StreamResult(
                space + "[" + space + "1" + space + "," + space + "2]" + space, chunk: chunk, limits: limits)
            #expect(result.texts == ["1", "2"] && result.error == nil)
            #expect(result.elements.map(\.line) == [2_001, 4_001])
        }
    }

    @Test func `A text that is only checked can have any structure, and reports its repeated keys`() {
        let members = (0..<2_000).map { "\"k\($0 % 1_990)\":{\"a\":\($0)}" }.joined(separator: ",\n")
        let limits = JSON.Limits(bytes: 20)
        for chunk in [11, Int.max] {
            let result = StreamResult("{\(members)}", .nothing, chunk: chunk, limits: limits)
            #expect(result.error == nil && result.elements.isEmpty)
            #expect(result.warnings.map(\.line) == Array(1_991...2_000))
            #expect(result.warnings.first?.message == "the key “k0” comes twice in one object; the last value counts")
        }
        let many = StreamResult("[{\(String(repeating: "\"k\":1,\n", count: 30))\"z\":0}]", .nothing)
        #expect(many.warnings.count == 11)
        #expect(many.warnings.last?.message.hasPrefix("and 19 more, from here on") == true)
        #expect(many.warnings.last?.line == 12)
        #expect(StreamResult("[{\"a\":1},{\"a\":2}]", .nothing).warnings.isEmpty)
        #expect(StreamResult("[1] [2]", .nothing).error?.code == .trailing)
    }

    @Test func `A random text in random chunks has the elements that the parser finds`() {
        forAll(cases: 500) {
            Pair(first: $0.value(), second: JSON.number(JSONNumber(Int($0.random.next() >> 3))))
        } holds: {
            let text = "[0, \($0.first.prettyText)\n,\($0.first.text)]"
            let chunk = 1 + ($0.second.int ?? 0) % 40
            let result = StreamResult(text, chunk: chunk)
            guard result.error == nil, result.elements.count == 3 else { return "\(String(describing: result.error))" }
            guard result.texts[1] == $0.first.prettyText, result.elements[2].value.bytes == $0.first.bytes else {
                return "another text: \(result.texts)"
            }
            return nil
        }
    }
}

@Suite struct `Chunks as an asynchronous sequence` {
    struct Broken: Error {}

    private func chunks(_ texts: [String], then error: Broken? = nil) -> AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { stream in
            for text in texts { stream.yield(Array(text.utf8)) }
            stream.finish(throwing: error)
        }
    }

    @Test func `The sequence returns each element`() async throws {
        var texts: [String] = []
        for try await element in JSONElements(
            of: self.chunks(["{\"r\":[1", "", "0,{\"a\"", ":2}", "]}"]), .array(at: JSONPointer.root.appending("r")))
        {
            texts.append(element.value.text)
        }
        #expect(texts == ["10", "{\"a\":2}"])
    }

    @Test func `The sequence throws the error of the text, and that of the chunks`() async throws {
        let cut = JSONElements(of: self.chunks(["[1,", "2"]))
        let error = await #expect(throws: JSONError.self) { for try await _ in cut {} }
        #expect(error?.line == 1 && error?.column == 5)
        let broken = JSONElements(of: self.chunks(["[1,"], then: Broken()))
        await #expect(throws: Broken.self) { for try await _ in broken {} }
    }
}
