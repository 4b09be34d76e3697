import TidemarkJSON

/// The body of a POST (Contract §5).
enum PostBody {
    /// The edits, each unparsed; the body must be an object with an array of them.
    static func edits(_ body: [UInt8], limits: ServerLimits) throws(ServerRefusal) -> [JSON] {
        let json = try Self.parse(body, limits: limits)
        guard json.object != nil else {
            throw ServerRefusal(
                400, .malformedBody, #"the body must be a JSON object, {"edits":[…]}"#, pointer: "")
        }
        guard let edits = json["edits"]?.array else {
            throw ServerRefusal(
                400, .malformedBody, #""edits" is missing from the body, or is not an array"#, pointer: "/edits")
        }
        guard edits.count <= limits.edits else {
            throw ServerRefusal(
                413, .tooManyEdits, "the body has \(edits.count) edits; \(limits.edits) are allowed at once")
        }
        return edits
    }

    private static func parse(_ body: [UInt8], limits: ServerLimits) throws(ServerRefusal) -> JSON {
        do throws(JSONError) {
            return try JSON(
                parsing: body, limits: JSON.Limits(nestingDepth: limits.bodyDepth, bytes: max(limits.body, 1)))
        } catch {
            let place = Problem.Place(error)
            throw ServerRefusal(
                Problem(400, .malformedBody, "the body is not JSON: \(error)", pointer: error.pointer, place: place))
        }
    }
}

extension Problem.Place {
    /// The position of an error in a text, if it has one.
    fileprivate init?(_ error: JSONError) {
        guard let line = error.line, let column = error.column, let offset = error.byteOffset else { return nil }
        self.init(line: line, column: column, offset: offset)
    }
}
