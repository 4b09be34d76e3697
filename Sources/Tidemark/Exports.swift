// What an app gets with `import Tidemark`.

@_exported public import TidemarkCore
@_exported public import TidemarkHTTP
@_exported public import TidemarkJSON
@_exported public import TidemarkMachine
@_exported public import TidemarkSQLite
