import Testing
import TidemarkJSON
@testable import TidemarkServer

@Suite("Paths, methods and the bytes of a record")
struct RoutingTests {
    @Test(arguments: ["/", "/v1", "/v1//", "/v2/notes", "/v1/notes/1/2", "/v1//1", "notes", ""])
    func `an unknown path is a 404 problem`(path: String) throws {
        let server = try ServerHarness()
        let response = server.send("GET", path)
        #expect(response.status == 404)
        #expect(try JSON(parsing: response.body)["code"] == "no-such-path")
    }

    @Test(arguments: ["PUT", "DELETE", "PATCH", "OPTIONS", "get"])
    func `an unsupported method is 405 with Allow`(method: String) throws {
        let server = try ServerHarness()
        let collection = server.send(method, "/v1/notes")
        #expect(collection.status == 405)
        #expect(collection.header("Allow") == "GET, HEAD, POST")
        let record = server.send(method, "/v1/notes/1")
        #expect(record.status == 405)
        #expect(record.header("Allow") == "GET, HEAD")
    }

    @Test(arguments: [
        ("GET", "/v1/notes"), ("GET", "/v1/"), ("POST", "/v1/notes"), ("GET", "/v2/notes"), ("PUT", "/v1/notes"),
        ("GET", "/v1/notes?max_updated_at=unknown"), ("GET", "/v1/notes/none"),
    ])
    func `each answer names the version of the wire once (Contract §5)`(method: String, target: String) throws {
        let response = try ServerHarness().send(method, target, body: method == "POST" ? "{" : "")
        #expect(response.headers.filter { $0.0 == "Tidemark-Wire" }.map(\.1) == ["1"])
    }

    @Test func `GET of the root declares the version of the wire and the level (Contract §5)`() throws {
        let list = try JSON(parsing: try ServerHarness().send("GET", "/v1/").body)
        #expect(list["wire"] == 1)
        #expect(list["level"] == "full")
    }

    @Test func `a POST to a record is 405`() throws {
        let server = try ServerHarness()
        #expect(server.send("POST", "/v1/notes/1", body: #"{"edits":[]}"#).status == 405)
    }

    @Test func `names are percent-encoded, including slashes, blanks and plus signs`() throws {
        let server = try ServerHarness()
        _ = try server.post(created("r", "a/b c+d?", ["a": 1]), to: "my%20notes%2F")
        #expect(server.get("a%2Fb%20c+d%3F", in: "my%20notes%2F").status == 200)
        #expect(server.get("a/b%20c+d%3F", in: "my%20notes%2F").status == 404)
    }

    @Test(arguments: ["%", "%4", "%zz", "%ff"])
    func `a broken escape in the path is 400`(name: String) throws {
        let server = try ServerHarness()
        #expect(server.send("GET", "/v1/\(name)").status == 400)
        #expect(server.send("GET", "/v1/notes/\(name)").status == 400)
    }

    @Test func `a collection's name has a limit`() throws {
        var limits = ServerLimits()
        limits.collectionName = 4
        let server = try ServerHarness(limits: limits)
        #expect(server.send("GET", "/v1/four").status == 200)
        #expect(server.send("GET", "/v1/fiver").status == 400)
    }

    @Test func `GET of a record returns the bare ITEM`() throws {
        let server = try ServerHarness()
        let version = try server.make("1", ["title": "Milk"])
        let response = server.send("GET", "/v1/notes/1")
        #expect(response.header("content-type") == "application/json")
        let text = String(decoding: response.body, as: UTF8.self)
        #expect(text == #"{"pk":"1","updated_at":\#(version),"is_active":true,"data":{"title":"Milk"}}"#)
    }

    @Test func `a record keeps key order, number text and escapes as they were sent`() throws {
        let server = try ServerHarness()
        let value = #"{"z":1.10,"a":12345678901234567890,"e":1e400,"m":-0,"s":"caf\u00e9 \/","o":{"y":1,"x":[1.0]}}"#
        let edit =
            #"{"request_id":"r","pk":"1","sync_state":"CREATED","#
            + #""edited_data":[{"op":"add","path":"","value":\#(value)}]}"#
        let answer = try Answer(server.send("POST", "/v1/notes", body: #"{"edits":[\#(edit)]}"#))
        #expect(answer.text.contains(#""data":\#(value)}"#))
        #expect(server.get("1").text.contains(#""data":\#(value)}"#))
        let patch: JSON = [["op": "add", "path": "/new", "value": 1]]
        _ = try server.post(edited("p", "1", answer.results.first?.version, patch))
        #expect(server.get("1").text.contains(value.dropLast() + #","new":1}"#))
    }

    @Test func `the query is decoded, and the first of two members with the same name counts`() {
        let request = ServerRequest(method: "GET", target: "/v1/a%2Fb?x=1%202&y=&z&x=3&%=%")
        #expect(request.path == "/v1/a%2Fb")
        #expect(request.parameter("x") == "1 2")
        #expect(request.parameter("y") == "")
        #expect(request.parameter("z") == "")
        #expect(request.parameter("%") == "%")
        #expect(request.parameter("w") == nil)
    }

    @Test func `caches must not store answers`() throws {
        let server = try ServerHarness()
        #expect(server.send("GET", "/v1/notes").header("Cache-Control") == "no-store")
        #expect(server.send("GET", "/v1/notes/1").header("Cache-Control") == "no-store")
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (String(repeating: "a", count: 1_000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
    ])
    func `SHA-256 gives the digests of FIPS 180-4`(text: String, digest: String) {
        #expect(SHA256.hex(Array(text.utf8)) == digest)
    }
}
