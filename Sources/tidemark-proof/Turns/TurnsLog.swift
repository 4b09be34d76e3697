import Foundation

/// One call of a worker, as its log has it.
struct TurnsCall {
    /// What a call does.
    enum Kind: String, CaseIterable {
        case create, count, add, share, delete, createBoth
        case look, query, open, suspend, wake, sync

        /// A call of the live list or of the run loop, which the worker does not wait for.
        case follow
    }

    /// How a call ended.
    enum End: Equatable {
        /// The process was killed meanwhile.
        case open

        /// With the value that the change replaced, if it has one.
        case done(String)

        /// With an error, which allows no change.
        case failed
    }

    let worker: Int
    let number: Int
    let kind: Kind
    let collection: String
    let pk: String
    var end = End.open

    /// When it began, by `TurnsWorld.now`; 0 unless it has ended.
    var began: Int64 = 0

    /// When it ended; 0 if it has not.
    var ended: Int64 = 0

    /// The name of the value that a change of `/shared` writes; see ``SharedValue``.
    var name: String { "\(self.worker)-\(self.number)" }
}

/// A value of the member `/shared`. It names the change that wrote it, and the value that this replaced.
struct SharedValue: Hashable {
    let name: String

    /// The name of the replaced value; empty for the first one.
    let replaced: String

    init(name: String, replacing former: String?) {
        (self.name, self.replaced) = (name, Self(former ?? "").name)
    }

    /// Reads the text in a record.
    init(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "<")).map { String(decoding: $0, as: UTF8.self) }
        (self.name, self.replaced) = (parts.first ?? "", parts.count > 1 ? parts[1] : "")
    }

    var text: String { "\(self.name)<\(self.replaced)" }
}

/// The log of a worker. Each line is one write, so that a killed process leaves whole lines.
struct TurnsLog: Sendable {
    private let file: FileHandle
    private let worker: Int

    init(worker: Int, in folder: URL) throws {
        let path = Self.path(of: worker, in: folder)
        if !FileManager.default.fileExists(atPath: path.path) {
            _ = FileManager.default.createFile(atPath: path.path, contents: nil)
        }
        self.file = try FileHandle(forWritingTo: path)
        try self.file.seekToEnd()
        self.worker = worker
    }

    static func path(of worker: Int, in folder: URL) -> URL { folder.appending(path: "log-\(worker)") }

    func intend(_ call: TurnsCall) {
        self.write("intent \(call.number) \(call.kind.rawValue) \(call.collection) \(call.pk)")
    }

    func done(_ number: Int, since began: Int64, replacing value: String?) {
        self.write("done \(number) \(began) \(TurnsWorld.now) \(value ?? "-")")
    }

    func fail(_ number: Int, since began: Int64) {
        self.write("failed \(number) \(began) \(TurnsWorld.now)")
    }

    /// The remote has dropped an answer.
    func lose() { self.write("lost") }

    /// A guarantee is broken: the process ends.
    func fault(_ text: String) -> Never {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        self.write("fault \(lines.joined(separator: " "))")
        exit(EXIT_FAILURE)
    }

    private func write(_ line: String) { self.file.write(Data("\(line)\n".utf8)) }
}

/// The calls of a worker, read from its log while it grows.
struct TurnsHistory {
    let worker: Int
    private(set) var calls: [Int: TurnsCall] = [:]

    /// Calls that ended.
    private(set) var endedCount = 0
    private(set) var lostAnswers = 0
    private(set) var fault: String?
    private var rest: [UInt8] = []
    private var offset: UInt64 = 0

    /// Number 0 of the log: failures of the list and of the loop.
    private(set) var failures: [TurnsCall] = []

    init(worker: Int) {
        self.worker = worker
    }

    /// Reads the lines that the log got since the last time.
    mutating func read(in folder: URL) throws {
        guard let file = try? FileHandle(forReadingFrom: TurnsLog.path(of: self.worker, in: folder)) else { return }
        defer { try? file.close() }
        try file.seek(toOffset: self.offset)
        let bytes = try file.readToEnd() ?? Data()
        self.offset += UInt64(bytes.count)
        self.rest += bytes
        guard let end = self.rest.lastIndex(of: UInt8(ascii: "\n")) else { return }
        for line in self.rest[..<end].split(separator: UInt8(ascii: "\n")) {
            try self.take(line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) })
        }
        self.rest = Array(self.rest[(end + 1)...])
    }

    /// Adds a call that was not written to a log.
    mutating func add(_ call: TurnsCall) { self.calls[call.number] = call }

    private mutating func take(_ words: [String]) throws {
        switch words.first {
        case "lost": self.lostAnswers += 1
        case "fault": self.fault = self.fault ?? words.dropFirst().joined(separator: " ")
        case "intent":
            guard words.count == 5, let number = Int(words[1]), let kind = TurnsCall.Kind(rawValue: words[2]) else {
                throw TurnsFault("\(words) is not a line of a log")
            }
            self.calls[number] = TurnsCall(
                worker: self.worker, number: number, kind: kind, collection: words[3], pk: words[4])
        case "done", "failed":
            guard words.count >= 4, let number = Int(words[1]), let began = Int64(words[2]),
                let ended = Int64(words[3])
            else { throw TurnsFault("\(words) is not a line of a log") }
            var call =
                self.calls[number]
                ?? TurnsCall(worker: self.worker, number: 0, kind: .follow, collection: "-", pk: "-")
            call.end = words[0] == "done" ? .done(words.count > 4 ? words[4] : "-") : .failed
            (call.began, call.ended) = (began, ended)
            if call.number == 0 {
                self.failures.append(call)
            } else {
                self.calls[number] = call
                self.endedCount += 1
            }
        default: throw TurnsFault("\(words) is not a line of a log")
        }
    }
}

/// A broken guarantee.
struct TurnsFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
