/// The result of ``JSONRowScanner``: byte ranges of the scanned text, without a copy of any byte.
package struct JSONRowScan: Sendable {
    /// The rows of one array; a row is a view of a few numbers, not a separate object.
    package struct Rows: Sendable {
        private let fieldCount: Int
        private let ranges: ContiguousArray<Int32>

        package init(fieldCount: Int, ranges: ContiguousArray<Int32>) {
            self.fieldCount = fieldCount
            self.ranges = ranges
        }

        package static let empty = Rows(fieldCount: 0, ranges: [])
    }

    /// One row.
    package struct Row: Sendable {
        private let ranges: ContiguousArray<Int32>.SubSequence

        init(ranges: ContiguousArray<Int32>.SubSequence) {
            self.ranges = ranges
        }

        /// The byte range of the whole row.
        package var whole: Range<Int> {
            let start = Int(self.ranges[self.ranges.startIndex])
            return (start < 0 ? ~start : start)..<Int(self.ranges[self.ranges.startIndex + 1])
        }

        /// Whether the row is an object; if not, it has no fields.
        package var isObject: Bool {
            self.ranges[self.ranges.startIndex] >= 0
        }

        /// The byte range of a field's value, by the index of the field in the requested list; empty if the row does not have
        /// it. Of a repeated key the last value counts.
        package subscript(field: Int) -> Range<Int> {
            let place = self.ranges.startIndex + 2 + 2 * field
            return Int(self.ranges[place])..<Int(self.ranges[place + 1])
        }
    }

    /// The byte range of the value of each member of the top level; of a repeated key the last value counts.
    package let members: [CodePointString: Range<Int>]

    private let arrays: [CodePointString: Rows]

    package init(members: [CodePointString: Range<Int>], arrays: [CodePointString: Rows]) {
        self.members = members
        self.arrays = arrays
    }

    /// The rows of a requested array; nil if the text has no such member or it is not an array.
    package func rows(in array: String) -> Rows? {
        self.arrays[CodePointString(array)]
    }
}

extension JSONRowScan.Rows: RandomAccessCollection {
    /// The first row.
    package var startIndex: Int { 0 }

    /// One past the last row.
    package var endIndex: Int { self.ranges.count / (2 + 2 * self.fieldCount) }

    /// A row, by its index in the array.
    package subscript(position: Int) -> JSONRowScan.Row {
        let stride = 2 + 2 * self.fieldCount
        return JSONRowScan.Row(ranges: self.ranges[position * stride..<(position + 1) * stride])
    }
}
