import TidemarkCore
import TidemarkJSON
import Testing

@Suite struct `Errors of a refusal by field (Contract §3.5)` {
    private func errors(_ errors: JSON) -> [String: [String]] {
        ProblemDetails(status: 422, title: "No", document: ["errors": errors]).errors
    }

    @Test func `an object has a message, or messages, for each field`() {
        let errors = self.errors([
            "title": "is missing", "price": ["is negative", "is not a number"], "lines.0": ["message": "is empty"],
        ])
        #expect(
            errors == [
                "/title": ["is missing"], "/price": ["is negative", "is not a number"], "/lines.0": ["is empty"],
            ])
    }

    @Test(
        arguments: [
            (["pointer": "/title", "detail": "is missing"], "/title"),
            (["pointer": "#/a%20b/0", "detail": "is missing"], "/a b/0"),
            (["pointer": "#", "detail": "is missing"], ""),
            (["field": "title", "message": "is missing"], "/title"),
            (["field": "a/b", "message": "is missing"], "/a~1b"),
            (["path": ["lines", 0, "price"], "message": "is missing"], "/lines/0/price"),
            (["name": "title", "title": "is missing"], "/title"),
            (["pointer": .null, "name": "title", "title": "is missing"], "/title"),
            (["pointer": "/a~", "detail": "is missing"], "/~1a~0"),
            (["pointer": "#/100%", "detail": "is missing"], "/100%"),
            (["message": "is missing"], ""),
            ("is missing", ""),
        ] as [(JSON, String)])
    func `an element of an array names its field and its message in the usual ways`(entry: JSON, field: String) {
        #expect(self.errors([entry]) == [field: ["is missing"]])
    }

    @Test func `several errors of one field are kept in order`() {
        #expect(
            self.errors([["field": "n", "message": "one"], ["pointer": "/n", "message": "two"]])
                == ["/n": ["one", "two"]])
    }

    @Test(arguments: [.null, 7, "too small", [7, []], ["n": 7], ["n": ["m": "nested"]], ["n": ""]] as [JSON])
    func `anything else has no errors`(errors: JSON) {
        // A text alone is the title's or the detail's, and has no field.
        #expect(self.errors(errors).isEmpty)
    }

    @Test func `fields, messages and their length are limited`() throws {
        let long = String(repeating: "é", count: ProblemDetails.textSize + 1)
        var members = JSONObject([("n", [JSON](repeating: "no", count: ProblemDetails.fieldMessages + 1).json)])
        members["m"] = JSON(long)
        for field in 0..<ProblemDetails.errorFields { members["f\(field)"] = "no" }
        let errors = self.errors(.object(members))
        #expect(errors.count == ProblemDetails.errorFields)
        #expect(errors["/n"]?.count == ProblemDetails.fieldMessages)
        #expect(errors["/m"] == [long.dropLast() + "…"])
        #expect(errors["/f\(ProblemDetails.errorFields - 1)"] == nil)
    }

    @Test func `a message of a field with an endless name counts for the record`() {
        #expect(self.errors([["field": JSON(String(repeating: "n", count: 5_000)), "message": "no"]]) == ["": ["no"]])
    }

    @Test func `the problem of a hold is the server's refusal`() {
        let document: JSON = ["title": "No", "detail": "n is too small", "errors": ["n": "is too small"]]
        let problem = RecordHold(.refused(status: 422, problem: document)).problem
        #expect(problem == ProblemDetails(status: 422, title: "n is too small", document: document))
        #expect(problem?.errors == ["/n": ["is too small"]])
    }

    @Test(
        arguments: [.rounds(5), .alone(problem: ["title": "down"]), .refused(status: nil, problem: ["title": "held"])]
            as [RecordHold.Cause])
    func `a hold without a refusal has no problem`(cause: RecordHold.Cause) {
        #expect(RecordHold(cause).problem == nil)
    }
}
