import Foundation
import Testing

@Suite struct `Usage errors` {
    struct Case: Sendable, CustomTestStringConvertible {
        var words: [String]
        var message: String

        init(_ words: String, _ message: String) {
            self.words = words.split(separator: " ").map { $0 == "''" ? "" : String($0) }
            self.message = message
        }

        var testDescription: String { self.words.joined(separator: " ") }
    }

    @Test(arguments: [
        Case("sync --stroe phone.db", "unknown option --stroe; did you mean --store?"),
        Case("list --store a.db notes --stat EDITED", "unknown option --stat; did you mean --state?"),
        Case("list --store a.db notes -j", "unknown option -j"),
        Case("synk --store a.db", "unknown command synk; did you mean sync?"),
        Case("crate --store a.db notes 1 {}", "unknown command crate; did you mean create?"),
        Case("frobnicate", "unknown command frobnicate"),
        Case("json chekc x", "unknown command json chekc; did you mean check?"),
        Case("patch", "patch needs one of: diff, apply, merge"),
        Case("create --store a.db notes", "PK is missing"),
        Case("create --store a.db notes 1", "JSON is missing"),
        Case("create notes 1 {}", "--store FILE is missing"),
        Case("create --store a.db notes {} --pk 1 2", "“2” is one argument too many"),
        Case("list --store a.db notes --limit +1", "--limit +1 is not a number"),
        Case("serve --store s.db --listen 127.0.0.1:+80", "is not HOST:PORT"),
        Case("serve --store s.db --connections-per-address +5", "is not a number"),
        Case("token revoke --store s.db +1", "“+1” is not the number of a token"),
        Case("restore --store a.db notes +1", "“+1” is not the number of an entry"),
        Case("create --store a.db notes 1 {} {}", "“{}” is one argument too many"),
        Case("import --store a.db notes x.json --pk id --by-key", "leave out --pk or --by-key"),
        Case("import --store a.db notes x.json --pk /a~", "~"),
        Case("import --store a.db notes x.json --pk", "--pk needs a value: --pk FIELD"),
        Case("list notes --store --json", "--store needs a value, and --json is an option"),
        Case("list notes --store a.db --store b.db", "--store is given twice"),
        Case("list notes --store a.db --json=yes", "--json takes no value"),
        Case("list notes --store a.db --state EDITD", "--state EDITD is not a state; did you mean EDITED?"),
        Case("edit --store a.db notes 1", "give exactly one change"),
        Case("edit --store a.db notes 1 /a 1 --remove /b", "give exactly one change"),
        Case("edit --store a.db notes 1 a 1", "“a” is not a JSON Pointer: it does not begin with “/”"),
        Case("edit --store a.db notes 1 /a", "JSON is missing"),
        Case("resolve --store a.db notes 1", "give exactly one decision"),
        Case("resolve --store a.db notes 1 --take both", "--take both is neither server nor client"),
        Case("restore --store a.db notes first", "is not the number of an entry"),
        Case("restore --store a.db notes", "ENTRY is missing"),
        Case("restore --store a.db --all server-rolled-bak", "server-rolled-back"),
        Case("restore --store a.db --all merge notes 7", "--all takes no ENTRY"),
        Case("sync --store a.db --dry-run --wait", "nothing to --wait for"),
        Case("init --store a.db", "--remote URL is missing"),
        Case("init --store a.db --remote ftp://x/v1", "does not start with http:// or https://"),
        Case("init --store a.db --remote http://x --tactic automerge", "did you mean auto-merge?"),
        Case("serve --store a.db --listen 8080", "--listen 8080 is not HOST:PORT"),
        Case("serve --store a.db --max-body 8XB", "--max-body 8XB is not a size; write it as 8MiB"),
        Case("serve --store a.db --horizon 90", "--horizon 90 is not a span of time; write it as 90d"),
        Case("serve --store a.db --page 0", "--page 0 is not a number from 1"),
        Case("list --store '' notes", "--store is empty; it needs a name"),
        Case("serve --store ''", "--store is empty"),
        Case("sync --store a.db ''", "COLLECTION is empty"),
        Case("init --store a.db --remote http://x --token a --token-file b", "exclude each other"),
        Case("init --store a.db --remote http://x --rules ''", "to remove the rules, use --no-rules"),
        Case("init --store a.db --remote http://x --rules a.json --no-rules", "give no other rules with it"),
        Case("serve --store a.db --token ''", "--token needs a token that is not empty"),
        Case("serve --store a.db --token one\ttwo", "--token needs a token without blanks; give each token separately"),
    ])
    func `A usage error prints advice, creates no file, and exits with 64`(_ wrong: Case) throws {
        let shop = try Workshop()
        let run = try shop.run(wrong.words)
        #expect(run.status == 64)
        #expect(run.errors.contains(wrong.message), "\(run.errors)")
        #expect(run.errors.contains("usage:   tidemark") || run.errors.contains("tidemark help lists the commands"))
        #expect(run.output == "")
        #expect(!FileManager.default.fileExists(atPath: shop.path("a.db")))
    }

    @Test func `A usage error of a command has an example to copy`() throws {
        let run = try Workshop().run("create", "--store", "a.db")
        #expect(run.errors.contains(#"example: tidemark create --store phone.db notes 42 '{"title":"Milk"}'"#))
    }

    @Test func `A call without a command is a usage error`() throws {
        let run = try Workshop().run()
        #expect(run.status == 64)
        #expect(run.errors.contains("tidemark help lists the commands"))
    }

    @Test(arguments: [#"{"a":"\xff"}"#, #"\xc3"#, #"\xed\xa0\x80"#])
    func `An argument that is not UTF-8 is rejected and printed (non-utf8-argument)`(_ word: String) throws {
        let shop = try Workshop()
        for words in ["create --store a.db notes b \"$word\"", "create --store a.db notes \"$word\" {}", "\"$word\""] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.arguments = [
                "-c", "word=$(printf '%b' '\(word)'); \"$0\" \(words) 2>errors", try Workshop.tool().path,
            ]
            process.currentDirectoryURL = shop.folder
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 64)
            let errors = try String(contentsOfFile: shop.path("errors"), encoding: .utf8)
            #expect(errors.contains("“\(word)”, is not UTF-8 text"), "\(errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: shop.path("a.db")))
    }

    @Test(arguments: ["{title:1}", "Milk", ""])
    func `Missing quotes around JSON are explained`(_ json: String) throws {
        let shop = try Workshop()
        let run = try shop.run("create", "--store", "a.db", "notes", "1", json)
        #expect(run.status == 1)
        #expect(run.errors.contains("(the JSON typed):1:"), "\(run.errors)")
        #expect(run.errors.contains("put single quotes around JSON"), "\(run.errors)")
    }
}
