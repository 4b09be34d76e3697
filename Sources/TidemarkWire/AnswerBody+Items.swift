import TidemarkCore
import TidemarkJSON

extension AnswerBody {
    /// The feed rows. A malformed row does not affect the others (Contract §3.5).
    func page() throws(RemoteFailure) -> FeedPage {
        let items = try self.rows("items")
        var rows: [FeedPage.Row] = []
        rows.reserveCapacity(items.count)
        var malformed: [QuarantinedItem] = []
        for (place, item) in items.enumerated() {
            do throws(ItemFault) {
                rows.append(try self.row(item))
            } catch {
                malformed.append(self.quarantine(item, at: place, for: error))
            }
        }
        return FeedPage(bytes: self.text.bytes, rows: rows, malformed: malformed)
    }

    private func row(_ item: JSONRowScan.Row) throws(ItemFault) -> FeedPage.Row {
        guard item.isObject else { throw ItemFault("the item", is: self.text.kind(item.whole), notOne: "an object") }
        let shape = ItemShape(
            pk: item[Field.pk], version: item[Field.version], isActive: item[Field.isActive], data: item[Field.data])
        return try shape.row(in: self.text)
    }

    private func quarantine(_ item: JSONRowScan.Row, at place: Int, for fault: ItemFault) -> QuarantinedItem {
        let pk = item.isObject ? self.text.string(item[Field.pk]) : nil
        guard let pk, !pk.isEmpty else {
            return QuarantinedItem(
                pk: "item \(place + 1)", reason: "item \(place + 1) of the page is malformed: \(fault.reason)")
        }
        return QuarantinedItem(pk: pk, reason: "the server's item is malformed: \(fault.reason)")
    }
}
