import Foundation
import FuzzSubjects
import Synchronization
import Testing

/// The inputs of Fuzz/Corpus: those that libFuzzer starts with, and those that once found an error.
@Suite struct CorpusTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fuzz/Corpus")

    /// The names of the inputs of a subject.
    private static func inputs(of subject: Subject) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: self.folder.appending(path: subject.rawValue).path)
            .filter { !$0.hasPrefix(".") }.sorted()
    }

    /// The laws that are broken during some work.
    private static func broken(by work: () throws -> Void) rethrows -> [String] {
        let broken = Mutex<[String]>([])
        try Law.$whenBroken.withValue({ words in broken.withLock { $0.append(words) } }, operation: work)
        return broken.withLock(\.self)
    }

    @Test(arguments: Subject.allCases)
    func `every input of the corpus keeps the laws of its subject`(subject: Subject) throws {
        let inputs = try Self.inputs(of: subject)
        #expect(inputs.count >= 4)
        for name in inputs {
            let file = Self.folder.appending(path: "\(subject.rawValue)/\(name)")
            let input = [UInt8](try Data(contentsOf: file))
            #expect(Self.broken { subject.examine(input) } == [], "\(subject.rawValue)/\(name)")
        }
    }

    @Test func `each folder of the corpus belongs to a subject`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter {
            !$0.hasPrefix(".")
        }
        #expect(Set(folders) == Set(Subject.allCases.map(\.rawValue)))
    }
}
