import CoreSupport
import Testing
import TidemarkCore
import TidemarkJSON

@Suite struct `Upload requests for other servers` {
    private static func upload(
        _ state: String, _ version: String? = nil, _ patch: String? = nil, on base: String? = nil
    ) throws -> UploadRequest {
        let rest = patch.map { #","edited_data":\#($0)"# } ?? ""
        let text =
            #"{"request_id":"r1","pk":"caf\u00e9","sync_state":"\#(state)","updated_at":\#(version ?? "null")\#(rest)}"#
        return try UploadRequest(encodedEdit: Array(text.utf8), base: base.map { Array($0.utf8) })
    }

    private static let milk = #"{"id":"1","title":"Milk","n":1.10,"meta":{"at":7,"by":"me"}}"#

    @Test func `an EDIT has all but the base, and its version is the text of updated_at`() throws {
        let text =
            #"{"request_id":"r1","pk":"caf\u00e9","sync_state":"EDITED","updated_at":"\"abc\"","#
            + #""edited_data":[{"op":"replace","path":"/n","value":1.0}]}"#
        let upload = try UploadRequest(encodedEdit: Array(text.utf8), base: [0x7B, 0x7D], wasResent: true)
        #expect(upload.requestID == "r1")
        #expect(upload.pk == "café")
        #expect(upload.intent == .edit)
        #expect(upload.version == #""\"abc\"""#)
        #expect(upload.patch?.text == #"[{"op":"replace","path":"/n","value":1.0}]"#)
        #expect(upload.base == [0x7B, 0x7D])
        #expect(upload.wasResent)
        #expect(upload.encodedEdit == Array(text.utf8))
    }

    @Test(arguments: [
        "", "[]", #"{"pk":"1","sync_state":"DELETED"}"#, #"{"request_id":"r","sync_state":"DELETED"}"#,
        #"{"request_id":"r","pk":1,"sync_state":"DELETED"}"#, #"{"request_id":"r","pk":"1","sync_state":"SYNCD"}"#,
        #"{"request_id":"r","pk":"1","sync_state":"EDITED","updated_at":1}"#,
        #"{"request_id":"r","pk":"1","sync_state":"EDITED","edited_data":[{"op":"hop","path":""}]}"#,
    ])
    func `bytes that are not an EDIT are refused`(text: String) {
        #expect(throws: JSONError.self) { try UploadRequest(encodedEdit: Array(text.utf8)) }
    }

    @Test func `the whole record is the base with the patch, and untouched text is unchanged`() throws {
        let patch = #"[{"op":"replace","path":"/title","value":"Oats"}]"#
        let upload = try Self.upload("EDITED", "7", patch, on: Self.milk)
        #expect(try upload.record()?.text == #"{"id":"1","title":"Oats","n":1.10,"meta":{"at":7,"by":"me"}}"#)
        #expect(upload.version == "7")
    }

    @Test func `the record leaves out server members, and tolerates missing ones`() throws {
        let upload = try Self.upload(
            "EDITED", "7", #"[{"op":"replace","path":"/title","value":"Oats"}]"#, on: Self.milk)
        let members = try ["/id", "/meta/at", "/gone/long/ago"].map { try JSONPointer(parsing: $0) }
        #expect(try upload.record(without: members)?.text == #"{"title":"Oats","n":1.10,"meta":{"by":"me"}}"#)
    }

    @Test func `a create is sent as its content and not as a merge patch, also over a tombstone`() throws {
        for version in [nil, "9"] {
            let upload = try Self.upload("CREATED", version, #"[{"op":"add","path":"","value":{"n":1e400}}]"#)
            #expect(try upload.record()?.text == #"{"n":1e400}"#)
            #expect(try upload.mergePatch() == nil)
            #expect(upload.version == version)
        }
    }

    @Test func `a delete has no record and no patch`() throws {
        let upload = try Self.upload("DELETED", "7", on: Self.milk)
        #expect(try upload.record() == nil)
        #expect(upload.jsonPatch() == nil)
        #expect(try upload.mergePatch() == nil)
    }

    @Test func `a patch that does not fit its base throws`() throws {
        let patch = #"[{"op":"replace","path":"/title","value":"Oats"}]"#
        #expect(throws: JSONError.self) { try Self.upload("EDITED", "7", patch).record() }
        #expect(throws: JSONError.self) { try Self.upload("EDITED", "7", patch, on: "{}").mergePatch() }
    }

    @Test func `a JSON Patch can be prefixed with a path in a document`() throws {
        let patch = #"[{"op":"add","path":"/a~1b","value":1},{"op":"remove","path":"/title"}]"#
        let upload = try Self.upload("EDITED", "7", patch, on: Self.milk)
        #expect(upload.jsonPatch()?.text == patch)
        #expect(
            upload.jsonPatch(under: try JSONPointer(parsing: "/data"))?.text
                == #"[{"op":"add","path":"/data/a~1b","value":1},{"op":"remove","path":"/data/title"}]"#)
        let create = try Self.upload("CREATED", nil, #"[{"op":"add","path":"","value":{}}]"#)
        #expect(
            create.jsonPatch(under: try JSONPointer(parsing: "/data"))?.text
                == #"[{"op":"add","path":"/data","value":{}}]"#)
    }

    @Test func `a merge patch has the effect of the patch, also for a replaced object`() throws {
        let patch = #"[{"op":"replace","path":"/meta","value":{"to":"you"}},{"op":"remove","path":"/title"}]"#
        let upload = try Self.upload("EDITED", "7", patch, on: Self.milk)
        let merge = try #require(try upload.mergePatch())
        #expect(merge.apply(to: try JSON(parsing: Self.milk)) == (try upload.record()))
        #expect(merge.json.title == .null)
        #expect(merge.json["id"] == nil, "unchanged members are not sent")
    }

    @Test func `a merge patch can't set a member to null`() throws {
        let patch = #"[{"op":"replace","path":"/title","value":null}]"#
        #expect(try Self.upload("EDITED", "7", patch, on: Self.milk).mergePatch() == nil)
    }
}
