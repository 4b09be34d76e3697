import Foundation
import Testing
import TidemarkCore
import TidemarkHTTP
import TidemarkMachine
import TidemarkRules

@Suite struct `The URL and the token of a remote` {
    @Test(
        arguments: [
            ("", "is not a URL"), ("notes.example", "is not a URL"), ("ftp://notes.example/v1", "http://"),
            ("notes.example:8080/v1", "http://"), ("http://", "names no host"), ("http:///v1", "names no host"),
            ("https://me:secret@notes.example/v1", "password"), ("https://secret@notes.example/v1", "name"),
            ("https://:secret@notes.example/v1", "password"), ("https://notes.example/v1?a=b", "query"),
            ("https://notes.example/v1#a", "fragment"), ("http://not a url", "is not a URL"),
            ("http://notes.example/v1\r\nX: y", "line end"), ("http://notes.example/v1\n", "line end"),
            ("http://notes\u{1B}[2J.example/v1", "control character"), ("http://notes.example:99999/v1", "65535"),
            ("http://notes.example:65536/v1", "65535"), ("http://notes.example:0/v1", "65535"),
            ("http://b\u{FC}cher.example/v1", "xn--"), ("https://b%C3%BCcher.example", "xn--"),
            ("https://notes.\u{65E5}\u{672C}:8080/v1", "xn--"),
            ("https://notes\u{3002}example/v1", "xn--"), ("https://not\u{65}\u{301}s.example/v1", "xn--"),
        ])
    func `an invalid URL is refused with a remedy`(url: String, word: String) throws {
        let error = try #require(throws: TidemarkError.self) { try HTTPRemote(url: url) }
        #expect(error.code == .invalidURL)
        #expect(error.message.contains(word), "\(error.message)")
        #expect(error.message.contains("https://notes.example/v1"))
        #expect(!error.message.contains("secret"))
        #expect(error.message.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "it goes to a terminal")
    }

    @Test(arguments: [
        "https://me:secret@notes.example/v1", "https://me:secret@notes.example:99999/v1",
        "ftp://me:secret@notes.example",
        "https://me:secret@/v1", "https://me:se#cret@notes.example/v1", "me:secret@notes.example/v1",
    ])
    func `a password in an invalid URL is not printed`(url: String) throws {
        let error = try #require(throws: TidemarkError.self) { try HTTPRemote(url: url) }
        #expect(!error.message.contains("cret"))
    }

    @Test(arguments: [
        "http://127.0.0.1:1/v1", "https://notes.example/v1/", "HTTPS://[::1]:8080/v1", "http://localhost",
        "http://notes.example:65535/v1", "http://notes.example:1",
    ])
    func `a URL of http or https is accepted`(url: String) throws {
        _ = try HTTPRemote(url: url, token: "abc-._~+/12==")
        let other: HTTPRemote = try .http(url)
        #expect(other.options.headers.isEmpty && other.options.certificates == nil)
    }

    @Test(arguments: ["", "a b", "a\r\nX-Evil: 1", "é", "=", "a\u{0}"])
    func `a token that can't be sent is refused`(token: String) throws {
        let error = try #require(throws: TidemarkError.self) {
            try HTTPRemote(url: "http://127.0.0.1:1/v1", token: token)
        }
        #expect(error.code == .invalidToken)
    }

    @Test(arguments: ["", "no PEM", "-----BEGIN PRIVATE KEY-----\n"])
    func `certificates that can't be trusted are refused`(text: String) throws {
        let options = HTTPRemote.Options(certificates: Array(text.utf8))
        let error = try #require(throws: TidemarkError.self) {
            try HTTPRemote(url: "https://notes.example/v1", options: options)
        }
        #expect(error.code == .invalidCertificates)
        #expect(error.message.contains("The certificates to trust"), "\(error)")
    }

    @Test(arguments: [[], ["sha256//abc"], Array(repeating: "", count: HTTPRemote.Options.pinnedKeyCount + 1)])
    func `keys that can't be pinned are refused`(keys: [String]) throws {
        let error = try #require(throws: TidemarkError.self) {
            try HTTPRemote(url: "https://notes.example/v1", options: HTTPRemote.Options(pinnedKeys: keys))
        }
        #expect(error.code == .invalidPinnedKeys)
        #expect(error.message.contains("pinned key"), "\(error)")
    }

    @Test(arguments: [
        ["Authorization": "Bearer x"], ["content-TYPE": "text/plain"], ["Host": "other"], ["If-None-Match": "*"],
        ["A b": "x"], ["": "x"], ["X": "a\r\nY: b"], ["X": "\u{0}"], ["X-A": "1", "x-a": "2"],
        ["X": String(repeating: "x", count: 4_096)],
    ])
    func `a header field that can't be added is refused, and its value is not printed`(
        headers: [String: String]
    ) async throws {
        let options = HTTPRemote.Options(headers: headers)
        let error = try #require(throws: TidemarkError.self) {
            try HTTPRemote(url: "http://127.0.0.1:1/v1", options: options)
        }
        #expect(error.code == .invalidHeader)
        #expect(!error.message.contains("Bearer x"), "\(error)")
        let late: HTTPRemote = .http(try #require(URL(string: "http://127.0.0.1:1/v1")), options: options)
        #expect(try await exchangeFailure(of: late).failureClass == .invalidAnswer)
    }

    @Test func `an invalid URL fails each exchange if the initializer can't throw`() async throws {
        let remote: HTTPRemote = .http(try #require(URL(string: "ftp://notes.example/v1")))
        let failure = try await exchangeFailure(of: remote)
        #expect(failure.failureClass == .invalidAnswer)
        #expect(failure.message.contains("http://"))
    }
}
