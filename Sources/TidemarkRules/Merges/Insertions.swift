/// The insertions of both sides at the same place.
enum Insertions {
    /// Returns both, the server's first. If one insertion begins or ends with the other, it is not repeated, so that to merge a
    /// merged value again changes nothing.
    static func both<Element: Equatable>(
        _ server: ArraySlice<Element>, _ client: ArraySlice<Element>
    ) -> ArraySlice<Element> {
        let (longer, shorter) = server.count < client.count ? (client, server) : (server, client)
        let isThere = longer.starts(with: shorter) || longer.suffix(shorter.count).elementsEqual(shorter)
        return isThere ? longer : server + client
    }
}
