import Foundation

/// A time of day on this machine: `12:03:11`.
struct ClockTime: CustomStringConvertible {
    let description: String

    /// - Parameter time: The time from 1970-01-01T00:00:00Z.
    init(_ time: Duration) {
        var seconds = time_t(time.components.seconds)
        var parts = tm()
        localtime_r(&seconds, &parts)
        let numbers = [parts.tm_hour, parts.tm_min, parts.tm_sec]
        self.description = numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }
}
