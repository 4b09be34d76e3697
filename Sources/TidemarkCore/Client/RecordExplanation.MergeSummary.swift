public import TidemarkJSON
import TidemarkMachine
import TidemarkRules

extension RecordExplanation {
    /// The result of a merge, path by path.
    public struct MergeSummary: Hashable, Sendable {
        /// The JSON text of the server's version that was merged; nil when the server had none.
        public let version: String?

        /// The JSON pointers of the values that were kept from this device.
        public let fromHere: [String]

        /// The JSON pointers of the values that were taken from the server.
        public let fromServer: [String]

        /// The JSON pointers that both sides changed to different values: one of the values is in the journal, unless a rule
        /// combined them.
        public let onBoth: [String]

        /// Describes the merge of a transition. The machine's base after it is the server's version.
        init(from before: Record.Machine, to after: Record.Machine, _ algebra: JSONChanges) throws(TidemarkError) {
            self.init(
                version: after.confirmed.version, base: try algebra.compared(before.mergeBase),
                server: try algebra.compared(after.confirmed.content),
                client: try algebra.compared(try before.view(algebra)),
                final: try algebra.compared(try after.view(algebra)))
        }

        /// Sorts the paths that each side changed by the side whose value was kept.
        init(version: String?, base: JSON?, server: JSON?, client: JSON?, final: JSON?) {
            let here = Set(JSONPatch.diff(from: base, to: client).changedPaths)
            let there = Set(JSONPatch.diff(from: base, to: server).changedPaths)
            let clashes = here.filter { mine in
                there.contains { ($0.isPrefix(of: mine) || mine.isPrefix(of: $0)) }
                    && client?[pointer: mine] != server?[pointer: mine]
            }
            func list(_ paths: some Sequence<JSONPointer>, of side: JSON?) -> [String] {
                paths.filter { final?[pointer: $0] == side?[pointer: $0] }.sorted().map(\.text)
            }
            self.version = version
            self.fromHere = list(here, of: client)
            self.fromServer = list(there, of: server)
            self.onBoth = clashes.sorted().map(\.text)
        }

        /// The form in which a summary is stored and printed: `{"updated_at","from_here":[…],"from_server":[…],"on_both":[…]}`.
        public var json: JSON {
            func list(_ paths: [String]) -> JSON { .array(paths.map { .string(JSONString($0)) }) }
            return [
                "updated_at": self.version.flatMap { try? JSON(parsing: $0) } ?? .null,
                "from_here": list(self.fromHere),
                "from_server": list(self.fromServer), "on_both": list(self.onBoth),
            ]
        }

        /// Reads a stored summary; nil if it is malformed.
        init?(bytes: [UInt8]) {
            guard let json = try? JSON(parsing: bytes) else { return nil }
            func list(_ name: String) -> [String] { json[name]?.array?.compactMap(\.string) ?? [] }
            self.version = json["updated_at"].flatMap { $0.isNull ? nil : $0.text }
            self.fromHere = list("from_here")
            self.fromServer = list("from_server")
            self.onBoth = list("on_both")
        }
    }
}
