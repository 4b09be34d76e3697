/// A page with the data of a store, as one file that needs no server and no network.
///
/// Its style and script are allowed by their hashes, and nothing else is: no request, no frame, no form. The data are JSON that the
/// script reads as text, so no text of a record is ever markup or code.
package enum InspectorPage {
    /// How every page begins, by which it is recognized.
    package static let start = Array(InspectorText.top.utf8)

    /// The page as a file.
    ///
    /// - Parameter data: JSON text of ``InspectorData``.
    package static func file(_ data: [UInt8]) -> [UInt8] {
        self.page(attributes: "", policy: InspectorText.policy, data)
    }

    /// The page that asks its server for the data; it contains none itself.
    package static let live = Self.page(attributes: " data-live", policy: InspectorText.livePolicy, Array("null".utf8))

    private static func page(attributes: String, policy: String, _ data: [UInt8]) -> [UInt8] {
        var page: [UInt8] = []
        page.reserveCapacity(data.count + data.count / 16 + 128 << 10)
        for part in [InspectorText.top, attributes, InspectorText.head, policy, InspectorText.middle] {
            page += part.utf8
        }
        self.escape(data, into: &page)
        page += InspectorText.tail.utf8
        return page
    }

    /// Adds JSON text in which no character can end the element that it is in: `<`, `>`, `&`, U+2028 and U+2029 are only found in
    /// strings, and are written as escapes.
    private static func escape(_ json: [UInt8], into page: inout [UInt8]) {
        var start = 0
        func flush(to end: Int, _ escape: StaticString, count: Int) {
            page += json[start..<end]
            page += "\(escape)".utf8
            start = end + count
        }
        for (index, byte) in json.enumerated() {
            switch byte {
            case UInt8(ascii: "<"): flush(to: index, #"\u003c"#, count: 1)
            case UInt8(ascii: ">"): flush(to: index, #"\u003e"#, count: 1)
            case UInt8(ascii: "&"): flush(to: index, #"\u0026"#, count: 1)
            // U+2028 and U+2029 are E2 80 A8 and E2 80 A9 in UTF-8.
            case 0xA8 where index >= 2 && json[index - 1] == 0x80 && json[index - 2] == 0xE2:
                flush(to: index - 2, #"\u2028"#, count: 3)
            case 0xA9 where index >= 2 && json[index - 1] == 0x80 && json[index - 2] == 0xE2:
                flush(to: index - 2, #"\u2029"#, count: 3)
            default: continue
            }
        }
        page += json[start...]
    }
}
