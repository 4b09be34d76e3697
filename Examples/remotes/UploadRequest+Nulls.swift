import TidemarkAdapters
import TidemarkCore
import TidemarkJSON
import TidemarkMachine

extension UploadRequest {
    /// The members of the whole record, and null for each member at the top that the edit removes: for a server that sets the
    /// given members, and keeps the others. Empty for a delete.
    func recordWithNulls() throws -> JSONObject {
        guard let base = try self.base.map({ try JSON(parsing: $0) }), self.intent == .edit,
            let patched = try self.patch?.apply(to: base)?.object
        else { return try self.record()?.object ?? JSONObject() }
        var members = try self.record()?.object ?? JSONObject()
        for (name, _) in base.object ?? JSONObject() where patched[name] == nil { members[name] = .null }
        return members
    }
}
