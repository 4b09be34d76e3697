/// The request ids in the text of a request or an answer. Each client draws new ones, so a recorded answer needs those of the
/// request that it is given to.
enum RequestIDs {
    private static let member = Array(#""request_id":""#.utf8)

    /// The places of the ids in a text, in their order.
    static func places(in text: [UInt8]) -> [Range<Int>] {
        text.ranges(of: self.member).map { found in
            let end = text[found.upperBound...].firstIndex(of: UInt8(ascii: "\"")) ?? text.endIndex
            return found.upperBound..<end
        }
    }

    /// A text with other ids of the same length at its places.
    static func replace(
        at places: [Range<Int>], of text: [UInt8], by ids: some Collection<some Collection<UInt8>>
    ) throws(Unavailable) -> [UInt8] {
        guard ids.count == places.count, zip(places, ids).allSatisfy({ $0.count == $1.count }) else {
            throw Unavailable("\(ids.count) request ids came for an answer with \(places.count)")
        }
        var text = text
        for (place, id) in zip(places, ids) { text.replaceSubrange(place, with: id) }
        return text
    }
}
