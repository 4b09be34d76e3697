#if FoundationTypes
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    extension JSONError: LocalizedError {
        /// Place, message and remedy, in English; an app translates by ``code``.
        public var errorDescription: String? { self.description }
    }
#endif
