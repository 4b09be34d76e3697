import Synchronization
import Tidemark

/// The lines that `run` prints for the user, each with its time: the status when it changes, and why there are no change
/// notifications once for each reason.
final class RunLines: Sendable {
    private struct Printed {
        var status: String?
        var hints: String?
    }

    private let time: any TimeSource
    private let printed = Mutex(Printed())

    init(time: any TimeSource) {
        self.time = time
    }

    func after(_ status: SyncStatus) -> [String] {
        let sentences = self.printed.withLock { printed in
            // A sync in between says nothing about notifications: only received ones end the reason.
            if status.isHintedTo { printed.hints = nil }
            var new: [String] = []
            if let sentence = status.sentence, sentence != printed.status {
                printed.status = sentence
                new.append(sentence)
            }
            if let sentence = status.sentenceAboutHints, sentence != printed.hints {
                printed.hints = sentence
                new.append(sentence)
            }
            return new
        }
        let now = self.time.now.clockTime
        return sentences.map { "\(now): \($0)" }
    }
}
