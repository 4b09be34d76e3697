/// Answers to GETs, from the seed. Each page is made on demand.
package struct FeedPages {
    package let rows: Int
    package let pageSize: Int

    private var tasks = TaskMaker(seed: 3)

    /// Makes the new contents of changed rows; nil if no row is changed.
    private var changed: TaskMaker?
    private var made = 0

    /// - Parameter isChanged: Whether the rows have the same pks, newer versions and other contents.
    package init(rows: Int, pageSize: Int, isChanged: Bool = false) {
        self.rows = rows
        self.pageSize = pageSize
        self.changed = isChanged ? TaskMaker(seed: 4) : nil
    }

    /// The next page; an empty one after the last.
    package mutating func next() -> [UInt8] {
        let end = min(self.made + self.pageSize, self.rows)
        var bytes = Array(#"{"items":["#.utf8)
        bytes.reserveCapacity((end - self.made) * 320)
        for number in self.made..<end {
            let task = self.tasks.next(number)
            if number > self.made { bytes.append(UInt8(ascii: ",")) }
            let version = (self.changed == nil ? 1_763_000_000_000_000 : 1_764_000_000_000_000) + number
            let text = self.changed?.next(number, pk: task.pk).text ?? task.text
            bytes += Array(#"{"pk":"\#(task.pk)","updated_at":\#(version),"is_active":true,"data":\#(text)}"#.utf8)
        }
        self.made = end
        let more = end < self.rows
        bytes += Array(#"],"max_updated_at":"w\#(end)","more":\#(more),"epoch":"e","account":"a"}"#.utf8)
        return bytes
    }
}
