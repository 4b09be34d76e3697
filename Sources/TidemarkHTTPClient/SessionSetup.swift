#if canImport(Darwin)
    package import Foundation
#endif

/// The app's settings of the system's networking; empty on other systems than Apple's.
package struct SessionSetup: Sendable {
    #if canImport(Darwin)
        /// Changes the configuration of each `URLSession` before it is made; nil for no changes.
        package var configure: (@Sendable (URLSessionConfiguration) -> Void)?
    #endif

    /// Makes a setup without changes.
    package init() {}
}
