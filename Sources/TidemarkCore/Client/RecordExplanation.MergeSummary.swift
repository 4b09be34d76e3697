public import TidemarkJSON
import TidemarkMachine
import TidemarkRules

extension RecordExplanation {
    /// What a merge did to a record, path by path.
    public struct MergeSummary: Hashable, Sendable {
        /// The JSON text of the server's version that was merged; nil when the server had none.
        public let stamp: String?

        /// The JSON pointers of what was kept from here.
        public let fromHere: [String]

        /// The JSON pointers of what was taken from the server.
        public let fromServer: [String]

        /// The JSON pointers of what was changed on both sides to two values: one of them is in the journal, unless a rule
        /// made one value of both.
        public let onBoth: [String]

        /// Says what a transition merged. What the server has is the base of the machine after it.
        init(from before: Record.Machine, to after: Record.Machine, _ algebra: JSONChanges) throws(TidemarkError) {
            self.init(
                stamp: after.confirmed.stamp, base: try algebra.compared(before.mergeBase),
                server: try algebra.compared(after.confirmed.content),
                client: try algebra.compared(try before.view(algebra)),
                final: try algebra.compared(try after.view(algebra)))
        }

        /// Sorts the paths that two sides changed by what came of them.
        init(stamp: String?, base: JSON?, server: JSON?, client: JSON?, final: JSON?) {
            let here = Set(JSONPatch.diff(from: base, to: client).changedPaths)
            let there = Set(JSONPatch.diff(from: base, to: server).changedPaths)
            let clashes = here.filter { mine in
                there.contains { ($0.isPrefix(of: mine) || mine.isPrefix(of: $0)) }
                    && client?[pointer: mine] != server?[pointer: mine]
            }
            func list(_ paths: some Sequence<JSONPointer>, of side: JSON?) -> [String] {
                paths.filter { final?[pointer: $0] == side?[pointer: $0] }.sorted().map(\.text)
            }
            self.stamp = stamp
            self.fromHere = list(here, of: client)
            self.fromServer = list(there, of: server)
            self.onBoth = clashes.sorted().map(\.text)
        }

        /// The shape in which it is stored and printed: `{"updated_at","from_here":[…],"from_server":[…],"on_both":[…]}`.
        public var json: JSON {
            func list(_ paths: [String]) -> JSON { .array(paths.map { .string(JSONString($0)) }) }
            return [
                "updated_at": self.stamp.flatMap { try? JSON(parsing: $0) } ?? .null, "from_here": list(self.fromHere),
                "from_server": list(self.fromServer), "on_both": list(self.onBoth),
            ]
        }

        /// Reads a stored summary; nil when it makes no sense.
        init?(bytes: [UInt8]) {
            guard let json = try? JSON(parsing: bytes) else { return nil }
            func list(_ name: String) -> [String] { json[name]?.array?.compactMap(\.string) ?? [] }
            self.stamp = json["updated_at"].flatMap { $0.isNull ? nil : $0.text }
            self.fromHere = list("from_here")
            self.fromServer = list("from_server")
            self.onBoth = list("on_both")
        }
    }
}
