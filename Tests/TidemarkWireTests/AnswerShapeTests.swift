import TestSupport
import Testing
import TidemarkCore
import TidemarkMachine

@Suite struct `An answer with status 200` {
    @Test func `an answer has cursor, epoch, account and whether more pages follow`() throws {
        let answer = try SampleReply(name: "plain", body: answerBody(more: "true")).decode(.get)
        #expect(answer.cursor == "w2")
        #expect(answer.epoch == "e")
        #expect(answer.account == "a")
        #expect(answer.hasMore)
        #expect(answer.page.rows.isEmpty)
        #expect(answer.results.isEmpty)
    }

    @Test func `unknown members of an answer are ignored at every place`() throws {
        let items = #"{"x":{"pk":9},"pk":"a","updated_at":1,"is_active":true,"data":{"pk":"inner"},"data_":[]}"#
        let body = #"{"new":{"items":[7]},"# + answerBody(items: items).dropFirst()
        let answer = try SampleReply(name: "unknown", body: body).decode(.get)
        let row = try #require(answer.page.rows.first)
        #expect(answer.page.pk(of: row) == "a")
        #expect(answer.page.version(of: row).data == Array(#"{"pk":"inner"}"#.utf8))
    }

    @Test(
        arguments: [
            SampleReply(name: "empty-answer-is-not-no-rows", body: ""),
            SampleReply(name: "blanks", body: "  \n"),
            SampleReply(name: "null", body: "null"),
            SampleReply(name: "array", body: "[]"),
            SampleReply(name: "empty object", body: "{}"),
            SampleReply(name: "broken JSON", body: #"{"items":["#),
            SampleReply(name: "two values", body: answerBody() + "{}"),
            SampleReply(name: "plain text", headers: ["Content-Type": "text/plain"], body: "It works!"),
            SampleReply(name: "problem in a 200", body: #"{"type":"about:blank","title":"no"}"#),
            SampleReply(name: "cursor number", body: answerBody(cursor: "7")),
            SampleReply(name: "cursor null", body: answerBody(cursor: "null")),
            SampleReply(name: "more as text", body: answerBody(more: #""false""#)),
            SampleReply(name: "more null", body: answerBody(more: "null")),
            SampleReply(name: "more without moving on", body: answerBody(cursor: #""w1""#, more: "true")),
            SampleReply(
                name: "items missing", body: #"{"max_updated_at":"w2","more":false,"epoch":"e","account":"a"}"#),
            SampleReply(
                name: "items null",
                body: #"{"items":null,"max_updated_at":"w2","more":false,"epoch":"e","account":"a"}"#),
            SampleReply(
                name: "items object",
                body: #"{"items":{},"max_updated_at":"w2","more":false,"epoch":"e","account":"a"}"#),
            SampleReply(name: "epoch missing", body: #"{"items":[],"max_updated_at":"w2","more":false,"account":"a"}"#),
            SampleReply(name: "account missing", body: #"{"items":[],"max_updated_at":"w2","more":false,"epoch":"e"}"#),
            SampleReply(name: "more missing", body: #"{"items":[],"max_updated_at":"w2","epoch":"e","account":"a"}"#),
        ])
    func `an incomplete or malformed answer is an invalid answer`(reply: SampleReply) throws {
        let get = try #require(reply.failure(.get))
        #expect(get.failureClass == .invalidAnswer)
        let post = try #require(reply.failure(.post(1)))
        #expect(post.failureClass == .invalidAnswer)
    }

    @Test func `the error of a malformed answer names the mistake`() throws {
        let failure = try #require(SampleReply(name: "more", body: answerBody(more: "1")).failure(.get))
        #expect(failure.message.contains("“more” is a number, not a boolean"))
        let missing = try #require(SampleReply(name: "nothing", body: "{}").failure(.get))
        #expect(missing.message.contains("“max_updated_at” is missing"))
        let broken = try #require(SampleReply(name: "broken", body: "{\n\"items\" 7}").failure(.get))
        #expect(broken.message.contains("line 2"))
    }

    @Test func `a POST without results is an invalid answer`() {
        #expect(SampleReply(name: "no results", body: answerBody()).failure(.post(1))?.failureClass == .invalidAnswer)
    }

    @Test func `a GET ignores results`() throws {
        let reply = SampleReply(name: "results", body: answerBody(results: #"{"request_id":"r1"}"#))
        #expect(try reply.decode(.get).results.isEmpty)
    }

    @Test(
        arguments: [
            SampleReply(name: "captive-portal", headers: ["Content-Type": "text/html; charset=utf-8"], body: "sign in"),
            SampleReply(name: "XHTML", headers: ["Content-Type": "Application/XHTML+XML"], body: "sign in"),
            SampleReply(name: "untyped page", headers: [:], body: "\n<!DOCTYPE html><p>Sign in</p>"),
            SampleReply(name: "mistyped page", body: "<html></html>"),
        ])
    func `an answer that is a web page is a captive portal`(reply: SampleReply) throws {
        let failure = try #require(reply.failure(.post(1)))
        #expect(failure.failureClass == .portal)
        #expect(failure.message.contains("sign in"))
    }

    @Test func `truncated-body: a truncated answer to a POST is offline`() throws {
        let reply = SampleReply(
            name: "short", headers: ["Content-Type": "application/json", "Content-Length": "9000"], body: answerBody())
        #expect(try #require(reply.failure(.post(1))).failureClass == .offline)
    }

    @Test func `the length of a compressed body is not compared with that of the decompressed one`() throws {
        let reply = SampleReply(
            name: "compressed", headers: ["Content-Encoding": "gzip", "Content-Length": "9000"], body: answerBody())
        #expect(try reply.decode(.get).cursor == "w2")
    }

    @Test(arguments: ["application/json; charset=utf-8", "application/vnd.tidemark+json", "text/plain", ""])
    func `an answer is accepted by its shape, under any content type`(type: String) throws {
        let reply = SampleReply(name: type, headers: type.isEmpty ? [:] : ["Content-Type": type], body: answerBody())
        #expect(try reply.decode(.get).cursor == "w2")
    }
}
