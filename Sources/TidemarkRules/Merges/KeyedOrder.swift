import TidemarkJSON

/// The order of the objects of a merged array.
struct KeyedOrder {
    /// The keys, in order.
    private(set) var keys: [JSON]

    /// Whether both sides put the same objects into two new orders; then the client's order wins.
    let hasClash: Bool

    /// Merges two orders of the keys that are left.
    init(base: [JSON], server: [JSON], client: [JSON], isLeft: (JSON) -> Bool) {
        let (before, theirs, ours) = (Set(base), Set(server), Set(client))
        let old = base.filter { theirs.contains($0) && ours.contains($0) }
        let theirOrder = server.filter { before.contains($0) && ours.contains($0) }
        let ourOrder = client.filter { before.contains($0) && theirs.contains($0) }
        let clientMoved = ourOrder != old
        self.hasClash = clientMoved && theirOrder != old && theirOrder != ourOrder
        self.keys = (clientMoved ? client : server).filter(isLeft)
        // A client's insertion may move only behind the server's insertions at the same place: the server's come first.
        let isServers = { (key: JSON) in !clientMoved && !ours.contains(key) && !before.contains(key) }
        self.insert((clientMoved ? server : client).filter(isLeft), passing: isServers)
    }

    /// Inserts each missing key behind the key that it followed.
    private mutating func insert(_ others: [JSON], passing isPassed: (JSON) -> Bool) {
        let present = Set(self.keys)
        var following: [JSON: [JSON]] = [:]
        var start: [JSON] = []
        var anchor: JSON?
        for key in others {
            if present.contains(key) {
                anchor = key
            } else if let anchor {
                following[anchor, default: []].append(key)
            } else {
                start.append(key)
            }
        }
        var merged: [JSON] = []
        var waiting = start
        for key in self.keys {
            if !isPassed(key) {
                merged += waiting
                waiting = []
            }
            merged.append(key)
            waiting += following[key] ?? []
        }
        self.keys = merged + waiting
    }
}
