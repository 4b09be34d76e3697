import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkWire

extension Operation {
    /// The daily operations of an app. The size is the number of records.
    static var core: [Operation] {
        [
            Operation("parse-record", size: 100, { Day.texts($0) }) { for text in $0 { _ = try JSON(parsing: text) } },
            Operation("write-record", size: 100, Day.records) { for record in $0 { _ = record.bytes } },
            Operation("look-up-fields", size: 100, Day.records) { records in
                for record in records { _ = (record["title"], record["assignee"]?["name"], record["none"]) }
            },
            Operation("diff-record", size: 100, Day.forks) { forks in
                for fork in forks { _ = JSONPatch.diff(from: fork.base, to: fork.client) }
            },
            Operation("apply-patch", size: 100, { try Day.forks($0).map { try $0.patch() } }) { patchings in
                for patching in patchings { try patching.applied() }
            },
            Operation("merge-record", size: 100, Day.forks) { forks in
                for fork in forks {
                    _ = JSONMerge.merge(base: fork.base, server: fork.server, client: fork.client)
                }
            },
            Operation("decode-page", size: 100, { Day.page($0) }) { page in
                _ = try Day.decode(page, Day.firstRequest)
            },
            Operation("choose-transitions", size: 10, { $0 }) { size in
                for _ in 0..<size {
                    for phase in RecordPhase.allCases {
                        for event in RecordEvent.allCases { _ = phase.transition(on: event) }
                    }
                }
            },
            Operation("pull-page", size: 100, Device.beforePull) { try $0.pull() },
            Operation("edit-record", size: 100, Device.afterPull) { try $0.edit() },
            Operation("import-records", size: 100, Device.beforeImport) { try $0.device.take($0.contents) },
            Operation("read-pages", size: 500, Device.withIndex) { try $0.readPages() },
            Operation("push-edits", size: 100, Device.afterEdits) { try $0.push() },
        ]
    }
}
