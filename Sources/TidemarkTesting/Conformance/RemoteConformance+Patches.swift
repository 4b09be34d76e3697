import TidemarkCore
import TidemarkJSON

extension RemoteConformance {
    static let patchChecks: [Check] = [
        Check("W5 a patch that does not apply is refused, and changes nothing", needs: .wire) { probe in
            let first = try await probe.accepted(RemoteProbe.create("a", #"{"n":1}"#, id: "r1"))
            let edit = RemoteProbe.set("missing/deep", to: "1", in: "a", first, id: "r2")
            try probe.expectRefusal("the patch", try await probe.outcome(edit), with: 422)
            try probe.compare("the rows", try await probe.listing().rows, is: [RemoteProbe.Row("a", first)])
        },
        Check("W5 a patch whose second operation fails leaves nothing of the first", needs: .wire) { probe in
            let first = try await probe.accepted(RemoteProbe.create("a", #"{"n":1}"#, id: "r1"))
            let edit = RemoteProbe.patch(
                #"{"op":"add","path":"/n","value":2},{"op":"replace","path":"/missing","value":3}"#, of: "a", first,
                id: "r2")
            try probe.expectRefusal("the patch", try await probe.outcome(edit), with: 422)
            try probe.compare("the rows", try await probe.listing().rows, is: [RemoteProbe.Row("a", first)])
            let second = try await probe.accepted(RemoteProbe.set("m", to: "1", in: "a", first, id: "r3"))
            try probe.compare("the row after the next edit", of: second, is: #"{"n":1,"m":1}"#)
        },
        Check("W5 `replace` and `remove` of a member that is missing are refused", needs: .wire) { probe in
            let first = try await probe.accepted(RemoteProbe.create("a", #"{"n":1}"#, id: "r1"))
            let operations = [
                #"{"op":"replace","path":"/missing","value":1}"#, #"{"op":"remove","path":"/missing"}"#,
            ]
            for (number, operation) in operations.enumerated() {
                let edit = RemoteProbe.patch(operation, of: "a", first, id: "p\(number)")
                try probe.expectRefusal("the patch \(operation)", try await probe.outcome(edit), with: 422)
            }
            try probe.compare("the rows", try await probe.listing().rows, is: [RemoteProbe.Row("a", first)])
        },
        Check("`replace` and `remove` of a member that exists are applied", needs: .wire) { probe in
            let first = try await probe.accepted(RemoteProbe.create("a", #"{"n":1,"m":{"x":[1,2]},"o":3}"#, id: "r1"))
            let edit = RemoteProbe.patch(
                #"{"op":"replace","path":"/m/x/0","value":null},{"op":"remove","path":"/o"},"#
                    + #"{"op":"replace","path":"/n","value":{"y":1}}"#, of: "a", first, id: "r2")
            let second = try await probe.accepted(edit)
            try probe.compare("the row", of: second, is: #"{"n":{"y":1},"m":{"x":[null,2]}}"#)
            let third = try await probe.accepted(
                RemoteProbe.patch(#"{"op":"replace","path":"","value":{"z":1}}"#, of: "a", second, id: "r3"))
            try probe.compare("the row after a `replace` at the root", of: third, is: #"{"z":1}"#)
        },
        Check("in a path, ~0 is a tilde and ~1 is a slash") { probe in
            let content = #"{"a/b":1,"m~n":2,"~1":3,"~01":4}"#
            let first = try await probe.accepted(RemoteProbe.create("a", content, id: "r1"))
            let edit = RemoteProbe.patch(
                #"{"op":"replace","path":"/a~1b","value":10},{"op":"replace","path":"/m~0n","value":20},"#
                    + #"{"op":"replace","path":"/~01","value":30}"#, of: "a", first, id: "r2")
            let second = try await probe.accepted(edit)
            try probe.compare("the row", of: second, is: #"{"a/b":10,"m~n":20,"~1":30,"~01":4}"#)
        },
        Check("W5 the 422 of a patch has the pointer of the failure", needs: .wire) { probe in
            let first = try await probe.accepted(RemoteProbe.create("a", #"{"n":1}"#, id: "r1"))
            let edit = RemoteProbe.patch(
                #"{"op":"replace","path":"/missing","value":1}"#, of: "a", first, id: "r2")
            let problem = try probe.expectRefusal("the patch", try await probe.outcome(edit), with: 422)
            guard problem.document["pointer"]?.string != nil else {
                throw ConformanceFailure(
                    "the problem of the edit", expected: "a member “pointer” that is a string",
                    found: problem.document.text.cutForEvidence)
            }
        },
    ]
}
