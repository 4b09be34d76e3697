// The API for authors of a remote or of a store: `Remote`, `RecordStore`, and the types in their requirements.
//
// `import Tidemark` has the rest, as for an app.

@_exported public import TidemarkCore
@_exported public import TidemarkHTTP
@_exported public import TidemarkHTTPClient
@_exported public import TidemarkJSON
@_exported public import enum TidemarkMachine.Recognition
