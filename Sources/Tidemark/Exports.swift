// The API of an app: the client, field rules and tactics, JSON, a store in SQLite, and a server over HTTP.
//
// Types that only the author of a store or of a remote needs are in the product TidemarkAdapters, the rules of a file in
// TidemarkRulesFile. `scripts/public-types` counts this list.

@_exported public import TidemarkJSON
@_exported public import TidemarkRules

// The client, and its results.
@_exported public import enum TidemarkCore.CollectionChange
@_exported public import struct TidemarkCore.CollectionReport
@_exported public import struct TidemarkCore.JournalEntry
@_exported public import struct TidemarkCore.QuarantinedItem
@_exported public import struct TidemarkCore.RecordChange
@_exported public import struct TidemarkCore.RecordDraft
@_exported public import struct TidemarkCore.RecordEdit
@_exported public import struct TidemarkCore.RecordExplanation
@_exported public import struct TidemarkCore.RecordHold
@_exported public import struct TidemarkCore.RecordInput
@_exported public import struct TidemarkCore.RecordList
@_exported public import struct TidemarkCore.RecordPage
@_exported public import struct TidemarkCore.RecordSnapshot
@_exported public import class TidemarkCore.RecordTransaction
@_exported public import struct TidemarkCore.RecordValue
@_exported public import class TidemarkCore.SyncClient
@_exported public import struct TidemarkCore.SyncCollection
@_exported public import struct TidemarkCore.SyncRecord
@_exported public import struct TidemarkCore.SyncReport
@_exported public import struct TidemarkCore.SyncStatus
@_exported public import struct TidemarkCore.SyncTrace
@_exported public import protocol TidemarkCore.TimeSource
@_exported public import struct TidemarkCore.UnreadableRecord
@_exported public import enum TidemarkCore.WriteOutcome

// Views.
@_exported public import class TidemarkCore.ConflictListModel
@_exported public import class TidemarkCore.DraftModel
@_exported public import class TidemarkCore.RecordListModel
@_exported public import class TidemarkCore.RecordModel
@_exported public import class TidemarkCore.StatusModel
@_exported public import class TidemarkCore.UndoHistory

// Conflicts that are open.
@_exported public import struct TidemarkCore.ConflictDecision
@_exported public import protocol TidemarkCore.ConflictResolver
@_exported public import struct TidemarkCore.DraftConflict
@_exported public import struct TidemarkCore.OpenConflict

// The configuration, and policies of an app.
@_exported public import struct TidemarkCore.Backoff
@_exported public import struct TidemarkCore.FailedExchange
@_exported public import struct TidemarkCore.FailurePolicies
@_exported public import protocol TidemarkCore.FailurePolicy
@_exported public import enum TidemarkCore.FailureVerdict
@_exported public import struct TidemarkCore.ProblemDetails
@_exported public import enum TidemarkCore.RefusalVerdict
@_exported public import protocol TidemarkCore.RefusalPolicy
@_exported public import struct TidemarkCore.RefusedChange
@_exported public import struct TidemarkCore.RemoteFailure
@_exported public import protocol TidemarkCore.RetryPolicy
@_exported public import enum TidemarkCore.ServerRollbackPolicy
@_exported public import struct TidemarkCore.SyncConfiguration
@_exported public import enum TidemarkCore.SyncGuarantee
@_exported public import struct TidemarkCore.SyncLimits
@_exported public import enum TidemarkMachine.ConflictKind
@_exported public import enum TidemarkMachine.FailureClass
@_exported public import enum TidemarkMachine.RecordPhase
@_exported public import struct TidemarkMachine.RunPlan
@_exported public import enum TidemarkMachine.SyncState

// The device's store, and a server.
@_exported public import struct TidemarkHTTP.HTTPRemote
@_exported public import struct TidemarkHTTPClient.HTTPAuth
@_exported public import protocol TidemarkSQLite.Projection
@_exported public import class TidemarkSQLite.ProjectionTables
@_exported public import class TidemarkSQLite.SQLiteStore
