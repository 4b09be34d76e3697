import TidemarkJSON
import TidemarkRules

extension ServerCheck {
    /// Compares rows, and collects the differences.
    struct Comparison {
        private let capabilities: RemoteCapabilities
        private let leftOut: Set<CodePointString>
        private(set) var result: Result

        init(_ capabilities: RemoteCapabilities, leftOut: Set<CodePointString>, _ result: Result) {
            self.capabilities = capabilities
            self.leftOut = leftOut
            self.result = result
        }

        /// Compares stored records with those of the server in the same places.
        mutating func compare(here: [Row], server: [Row?]) {
            for (row, other) in zip(here, server) where !self.isLeftOut(row) {
                guard row.isSynced else {
                    self.result.changedHere += 1
                    continue
                }
                guard let other else {
                    if self.tellsDeletions { self.compared(row, .onlyHere, row.version, nil) }
                    continue
                }
                guard row.version == other.version else {
                    if !self.isListing { self.compared(row, .otherVersion, row.version, other.version) }
                    continue
                }
                self.result.compared += 1
                self.compareData(row, other)
            }
        }

        /// Finds records of the server that the store does not have.
        mutating func find(server: [Row], here: [Row?]) {
            guard !self.isListing else { return }
            for (row, other) in zip(server, here) where other == nil && !self.isLeftOut(row) {
                self.add(row, .onlyOnServer, nil, row.version)
            }
        }

        /// A list shows the present records, and not which of them were pulled.
        private var isListing: Bool { self.capabilities.feed == .listing }

        /// Whether the feed shows each deletion, so that a record that is missing there was not deleted by another device.
        private var tellsDeletions: Bool {
            switch self.capabilities.tombstones {
            case .forever, .kept(_, isSignalled: true): !self.isListing
            case .kept, .none: false
            }
        }

        private func isLeftOut(_ row: Row) -> Bool {
            self.leftOut.contains(CodePointString(row.pk)) || self.leftOut.contains(CodePointString(row.name))
        }

        private mutating func compareData(_ here: Row, _ server: Row) {
            guard self.capabilities.values != .rounded, here.data != server.data else { return }
            let (data, other) = (self.ofApp(here.data), self.ofApp(server.data))
            let paths = JSONPatch.diff(from: other, to: data).operations.map(\.path)
            let isExact = self.capabilities.values == .exact && self.capabilities.members.isEmpty
            guard !paths.isEmpty || isExact else { return }
            self.add(here, .otherData, here.version, server.version, Array(paths.prefix(Difference.pathLimit)))
        }

        /// The data without members that do not belong to the app.
        private func ofApp(_ data: [UInt8]?) -> JSON? {
            data.flatMap { try? JSON(parsing: $0) }.map { self.capabilities.members.removed(from: $0) }
        }

        private mutating func compared(_ row: Row, _ kind: Difference.Kind, _ here: String?, _ server: String?) {
            self.result.compared += 1
            self.add(row, kind, here, server)
        }

        private mutating func add(
            _ row: Row, _ kind: Difference.Kind, _ here: String?, _ server: String?, _ paths: [JSONPointer] = []
        ) {
            guard self.result.differences.count < ServerCheck.differenceLimit else {
                self.result.hasMore = true
                return
            }
            self.result.differences.append(
                Difference(pk: row.pk, kind: kind, here: here, server: server, paths: paths))
        }
    }
}
