public import TidemarkCore
public import TidemarkJSON

extension RemoteCapabilities {
    /// Cautious properties of an unknown, honest server over rows.
    ///
    /// Edits are recognized by their content, values are equal by value, and deletions are reported for 30 days. Declare more if
    /// you know it.
    ///
    /// - Parameters:
    ///   - condition: Whether the server compares the version of a write. With `.atomic` the version goes into the request
    ///     (`If-Match`). With `.checkedFirst` and `.none` ``RowRemote`` reads the row before each write, unless
    ///     ``RowServer/readsBeforeWrite`` is false. Send only the changed members then (`UploadRequest.changedMembers()`), so
    ///     that a write in between loses nothing in other members. In the same member it loses the other edit: with
    ///     `.checkedFirst(watch: .zero)` and `.none` the app accepts that by name, `configuration.accepts = [.noLostUpdates]`. A
    ///     longer watch finds most of these lost edits, but a value that another device sets back within that time counts as
    ///     lost, and is sent again.
    ///   - serverMembers: The server's own members of a record, such as its id, its times and the mark of a deletion, even if
    ///     they are null.
    ///   - feed: The order of the feed: `.ordered` if every row becomes visible in the order of its cursor, `.late` if a row may
    ///     become visible later and ``RowServer/changes(in:after:limit:)`` reads as much again (``RowShape/overlap``), `.listing`
    ///     for a server without a feed.
    ///   - tombstones: How long the server reports deletions.
    ///   - names: `.member` with the pointer of ``RowShape/pk`` if the server makes the names (``RowShape/name``); `.server` if it
    ///     has no member for the pk.
    ///   - batchSize: The maximum number of edits of an exchange.
    public static func rows(
        condition: Condition, serverMembers: [JSONPointer] = [], feed: Feed,
        tombstones: Tombstones = .kept(.seconds(30 * 86_400), isSignalled: false), names: Names = .client,
        batchSize: Int = 20
    ) -> RemoteCapabilities {
        RemoteCapabilities(
            condition: condition, repetition: .recognized, feed: feed, tombstones: tombstones, names: names,
            values: .byValue,
            serverMembers: serverMembers, batchSize: batchSize)
    }
}
