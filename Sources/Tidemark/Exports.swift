// What an app gets with `import Tidemark`: the client, what decides its conflicts, JSON, and where records come from.
//
// Not the wire, which only our carriers speak, nor the reader of rules files, which is a product of its own.

@_exported public import TidemarkCore
@_exported public import TidemarkHTTP
@_exported public import TidemarkJSON
@_exported public import TidemarkRules
@_exported public import TidemarkSQLite

// Of the machine what a snapshot, a status, a failure, a store or a run speaks of. Who tests transitions imports it whole.
@_exported public import enum TidemarkMachine.ConflictKind
@_exported public import enum TidemarkMachine.FailureBlame
@_exported public import enum TidemarkMachine.FailureClass
@_exported public import enum TidemarkMachine.RecordPhase
@_exported public import enum TidemarkMachine.Recognition
@_exported public import enum TidemarkMachine.RecordEvent
@_exported public import enum TidemarkMachine.RunPhase
@_exported public import struct TidemarkMachine.RunPlan
@_exported public import enum TidemarkMachine.SyncState
