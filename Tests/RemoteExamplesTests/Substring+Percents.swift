import Foundation

extension Substring {
    /// The text without percent-encoding.
    var removingPercents: String { String(self).removingPercentEncoding ?? String(self) }
}
