#if FoundationTypes
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    public import TidemarkRules

    // Without these conformances, `localizedDescription` of an error is “The operation couldn't be completed.”

    extension TidemarkError: LocalizedError {
        /// The message, in English; an app translates by ``code``.
        public var errorDescription: String? { self.message }
    }

    extension RemoteFailure: LocalizedError {
        /// The message, in English or as the server wrote it; an app translates by ``failureClass``.
        public var errorDescription: String? { self.message }
    }

    extension DraftConflict: LocalizedError {
        /// The record and the number of fields, in English.
        public var errorDescription: String? {
            let fields = self.fields.count == 1 ? "1 field was" : "\(self.fields.count) fields were"
            return "“\(self.pk)” in \(self.collection): \(fields) changed in the draft and in the stored record. "
                + "Choose a value for each field."
        }
    }
#endif
