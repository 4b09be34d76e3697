import Tidemark

extension JSON {
    /// This value with the members of another one: objects are merged at every depth, and any other value of `new`, also null,
    /// replaces the present one. The time is linear.
    func merging(_ new: JSON) -> JSON {
        guard let present = self.object, let members = new.object else { return new }
        let merged = members.map { ($0.key, present[$0.key]?.merging($0.value) ?? $0.value) }
        return .object(JSONObject(present.map { ($0.key, $0.value) } + merged))
    }
}
