import TidemarkCore
import TidemarkJSON
import TidemarkMachine

extension RemoteProbe {
    /// Throws a ``ConformanceFailure`` unless each row has a valid pk, also a row that no client made: a text of 1 to 512 bytes,
    /// which is that of the declared member, or else the server's name of the row.
    func checkIdentity(in page: FeedPage) throws(ConformanceFailure) {
        let limit = SyncLimits().nameSize
        for row in page.rows {
            let quotes = page.bytes[row.pk].first == UInt8(ascii: "\"") && page.bytes[row.pk].last == UInt8(ascii: "\"")
            let pk = quotes && row.pk.count >= 2 ? page.pk(of: row) : ""
            guard (1...limit).contains(pk.utf8.count) else {
                throw ConformanceFailure(
                    "the pk of the row with the version \(page.versionText(of: row))",
                    expected: "a text of 1 to \(limit) bytes; of a row without a pk, its name",
                    found: String(decoding: page.bytes[row.pk].prefix(80), as: UTF8.self))
            }
            guard case .member(let member) = self.remote.capabilities.names, !row.isTombstone,
                let name = page.name(of: row), let content = try? JSON(parsing: Array(page.bytes[row.data]))
            else { continue }
            let value = content[pointer: member] ?? .null
            let declared = value.isNull ? name : value.string
            guard declared.map({ CodePointString($0) }) == CodePointString(pk) else {
                throw ConformanceFailure(
                    "the pk of the row “\(name)”", expected: "the text in “\(member)”, or else its name",
                    found: "“\(pk)”")
            }
        }
    }
}
