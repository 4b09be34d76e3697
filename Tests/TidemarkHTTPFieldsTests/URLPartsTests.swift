import Foundation
import TestSupport
import Testing
import TidemarkHTTPFields

@Suite struct `The parts of a URL` {
    @Test(arguments: 0..<8)
    func `the parts of a URL are those that Foundation finds`(seed: UInt64) throws {
        var texts = Texts(
            seed, of: ["a", "h", "1", "_", ":", "/", "?", "#", "@", ".", "-", "//", "::", "http:", "http://", "%41"])
        for _ in 0..<500 {
            let text = texts.next()
            let (ours, other) = (URLParts(text), URLComponents(string: text))
            // RFC 3986 has no form with a colon at the beginning; Foundation reads it as the beginning of a path.
            guard !text.hasPrefix(":") else {
                #expect(ours == nil)
                continue
            }
            #expect((ours == nil) == (other == nil), "\(text)")
            #expect(ours?.scheme == other?.scheme, "\(text)")
            #expect((ours?.authority?.host ?? "") == (other?.percentEncodedHost ?? ""), "\(text)")
            #expect(ours?.authority?.port.flatMap { Int($0) } == other?.port, "\(text)")
            #expect((ours?.authority?.userInfo == nil) == (other?.user == nil && other?.password == nil), "\(text)")
            #expect((ours?.query == nil) == (other?.query == nil), "\(text)")
            #expect((ours?.fragment == nil) == (other?.fragment == nil), "\(text)")
        }
    }

    @Test(arguments: [
        "http://[::1]:80/", "http://[fe80::1%25eth0]/", "http://[fe80::1%eth0]/", "http://[v1.a]",
        "http://ex\u{E4}mple.de/",
        "http://a_b.example:/", "http://notes.example/a b",
    ])
    func `a URL with a valid host is parsed`(url: String) throws {
        let host = try #require(URLParts(url)?.authority?.host)
        #expect(!host.isEmpty)
    }

    @Test(arguments: [
        "http://[::1", "http://[::1]a/", "http://a b/", "http://a\\b/", "http://a%zz/", "http://a:b/", "http://a:+1/",
        "1http://a", "ht_tp://a", ":", "://a",
    ])
    func `a text that is not a URL has no parts`(text: String) {
        #expect(URLParts(text) == nil)
    }

    // RFC 3986 §5.4.
    @Test(
        arguments: [
            ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
            (";x", "http://a/b/c/;x"), ("g;x=1/../y", "http://a/b/c/y"), ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
            ("../../../g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
            ("..g", "http://a/b/c/..g"),
            ("\u{301}/../g", "http://a/b/c/g"), ("g/\u{301}/../h", "http://a/b/c/g/h"),
            ("./g/.", "http://a/b/c/g/"), ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
        ])
    func `a reference is resolved as RFC 3986 §5.4 shows`(reference: String, url: String) throws {
        let base = try #require(URLParts("http://a/b/c/d;p?q"))
        #expect(base.resolve(try #require(URLParts(reference))).text == url)
    }

    @Test(arguments: 0..<8)
    func `a reference is resolved as Foundation resolves it`(seed: UInt64) throws {
        var texts = Texts(seed, of: ["a", "/", ".", "..", "../", "./", "?", "b", "x/", "//", ":", "_", "~", "#"])
        let base = try #require(URLParts("http://h:1/v1/"))
        for _ in 0..<500 {
            let text = texts.next()
            let isOdd = text.isEmpty || text.hasPrefix(":") || text.hasPrefix("//:") || text.contains { $0 == "#" }
            guard !isOdd else { continue }
            let url = URL(string: text, relativeTo: URL(string: "http://h:1/v1/"))?.absoluteString
            #expect(URLParts(text).map { base.resolve($0).text } == url, "\(text)")
        }
    }

    @Test(
        arguments: [
            ("/a b", "http://h/a%20b"), ("/a%20b", "http://h/a%20b"), ("/%zz|", "http://h/%25zz%7C"),
            ("/%4", "http://h/%254"),
            ("/\u{FC}?\u{FC}", "http://h/%C3%BC?%C3%BC"), ("/a\\b", "http://h/a%5Cb"),
            ("/?[]\"", "http://h/?%5B%5D%22"),
        ])
    func `characters that a URL can't contain are escaped`(reference: String, url: String) throws {
        let base = try #require(URLParts("http://h/"))
        #expect(base.resolve(try #require(URLParts(reference))).text == url)
    }

    @Test(
        arguments: ["\u{D4E}", "\u{111C2}", "\u{600}", "\u{301}"],
        ["http://evil%/@notes.example/x", "//evil%/@notes.example/x", "//%evil.example/"])
    func `a link to another server is found although a combining character follows a slash`(
        letter: String, link: String
    ) {
        let link = link.replacingOccurrences(of: "%", with: letter)
        #expect(WebOrigin.leaves("http://notes.example/v1", to: link))
    }

    @Test func `a URL without user info has no name and no password`() throws {
        let parts = try #require(URLParts("https://me:secret@notes.example:8080/v1"))
        #expect(parts.withoutUserInfo.text == "https://notes.example:8080/v1")
    }

    // RFC 4648 §10.
    @Test(
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"), ("\u{3FF}>?", "z78+Pw=="),
        ])
    func `base 64 is written as RFC 4648 §10 shows`(text: String, expected: String) {
        #expect(Base64.text(of: text.utf8) == expected)
        #expect(Base64.text(of: text.utf8) == Data(text.utf8).base64EncodedString())
    }
}

/// Texts of a few pieces each, the same for the same seed.
private struct Texts {
    private let pieces: [String]
    private var generator: SeededGenerator

    init(_ seed: UInt64, of pieces: [String]) {
        self.pieces = pieces
        self.generator = SeededGenerator(seed: seed)
    }

    mutating func next() -> String {
        let count = Int.random(in: 0...9, using: &self.generator)
        return (0..<count).map { _ in self.pieces.randomElement(using: &self.generator) ?? "" }.joined()
    }
}
