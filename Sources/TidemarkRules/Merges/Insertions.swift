/// What both sides inserted at one place.
enum Insertions {
    /// Both, the server's first. What one side's insertion begins or ends with is not repeated by the other's, so that
    /// merging what is merged changes nothing.
    static func both<Element: Equatable>(
        _ server: ArraySlice<Element>, _ client: ArraySlice<Element>
    ) -> ArraySlice<Element> {
        let (longer, shorter) = server.count < client.count ? (client, server) : (server, client)
        let isThere = longer.starts(with: shorter) || longer.suffix(shorter.count).elementsEqual(shorter)
        return isThere ? longer : server + client
    }
}
