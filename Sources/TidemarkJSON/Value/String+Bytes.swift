extension String {
    /// Passes the UTF-8 to `body`; it is valid only during the call.
    ///
    /// It is copied only if the text is not one piece of UTF-8, as a string of Objective-C may be. `withUTF8` needs a variable, and a
    /// copy of the string in one costs two reference counts: for a short key more than the work itself.
    @inline(__always)
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = unsafe self.utf8.withContiguousStorageIfAvailable(body) { return result }
        var copy = self
        return copy.withUTF8(body)
    }
}
