import TidemarkCore
import TidemarkJSON

extension RemoteConformance {
    static let textChecks: [Check] = [
        Check("numbers, escapes and the order of keys are unchanged", needs: .exactValues, .onlyRecords) { probe in
            let content =
                #"{"z":12345678901234567890,"a":1.10,"b":1e400,"c":-0,"d":"caf\u00e9 \/ \ud83d\ude00","e":null,"":[]}"#
            let version = try await probe.accepted(RemoteProbe.create("a", content, id: "r1"))
            try expect("the payload of the result", version.text, is: content)
            try expect("the payload of the feed", try await probe.listing().rows.map(\.version.text), is: [content])
        },
        Check("pks may be any text, and differ by code point", needs: .onlyRecords, .anyNames) { probe in
            let pks = ["\u{E9}", "e\u{301}", "a/b?c#d&e=f%20", "..", " ", "\u{1F600}", "\u{0}", #""\"#]
            for (number, pk) in pks.enumerated() {
                _ = try await probe.accepted(RemoteProbe.create(pk, #"{"n":\#(number)}"#, id: "r\(number)"))
            }
            let found = try await probe.listing().rows.map { CodePointString($0.pk) }
            try expect("the pks", found, is: pks.map { CodePointString($0) })
        },
        Check(
            "collections may have any name, differ by code point, and are independent", needs: .onlyRecords, .anyNames
        ) { probe in
            let names = ["a b", "a%20b", "a/b", "a?b", "a#b", "a&b=c", "\u{E9}", "e\u{301}", "a+b", "a;b", "..."]
            let probes = names.map { probe.beside($0) }
            for (number, probe) in probes.enumerated() {
                _ = try await probe.accepted(RemoteProbe.create("a", #"{"n":\#(number)}"#, id: "r"))
            }
            for (number, probe) in probes.enumerated() {
                let rows = try await probe.listing().rows
                try expect("the number of rows of “\(probe.collection)”", rows.count, is: 1)
                try probe.compare("the row of “\(probe.collection)”", of: rows.last?.version, is: #"{"n":\#(number)}"#)
            }
        },
        Check("a large batch with large records arrives complete") { probe in
            let text = String(repeating: "0123456789abcdef", count: 1_000)
            let edits = (0..<100).map { RemoteProbe.create("p\($0)", #"{"text":"\#(text)"}"#, id: "r\($0)") }
            try expect("the number of results", try await probe.post(edits).results.count, is: 100)
            let rows = try await probe.listing(limit: 30).rows
            // A page may repeat rows of the page before it.
            try expect("the number of records", Set(rows.map { CodePointString($0.pk) }).count, is: 100)
            try probe.compare("the last payload", of: rows.last?.version, is: #"{"text":"\#(text)"}"#)
        },
    ]
}
