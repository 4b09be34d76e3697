/// How much room the text of a box needs, in points.
///
/// `dot` measures text in a font of the machine that it runs on, and the reader's browser chooses another font. So the
/// size of a box is computed here from the number of letters, for the widest of the usual fonts.
package enum BoxText {
    /// The height of the title.
    package static let title = 18.0

    /// The height of each row of events.
    package static let row = 14.4

    /// The mean width of a letter of the title, which is bold, and of a letter of a row.
    private static let letters = (title: 10.4, row: 6.9)

    /// The room between the text and the border, on each side.
    private static let padding = (across: 9.0, down: 6.0)

    /// The least size of a box that holds its text.
    package static func size(of box: Drawing.Box) -> (width: Double, height: Double) {
        // The comma at the end of a row is a letter as well.
        let rows = box.rows.map { Double($0.joined(separator: ", ").count + 1) * self.letters.row }
        let width = rows.reduce(Double(box.title.count) * self.letters.title, max)
        let height = self.title + Double(rows.count) * self.row
        return (width + 2 * self.padding.across, height + 2 * self.padding.down)
    }
}
