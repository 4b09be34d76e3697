#!/usr/bin/env python3
"""Makes data for the inspector's page (FORMAT.md): a sample, a hostile store, an empty one, and one with 100,000 records.

usage: fixtures.py FOLDER
"""
import json
import pathlib
import sys

NOW = 1764331391000
STORE = "--store phone.db"
# `from to event…` of the table of a record; `*` marks the path without any failure or conflict.
EDGES = """
*absent CREATED.idle created
*SYNCD EDITED.idle edited
*SYNCD DELETED.idle deleted
*absent SYNCD refreshed
SYNCD SYNCD refreshed
SYNCD absent gone
CREATED.idle CREATED.idle edited gone
CREATED.uploading CREATED.uploading edited seen
CREATED.unconfirmed CREATED.unconfirmed edited seen idempotencyLost
CREATED.deciding CREATED.deciding edited clashed escalatedToUser stale
CREATED.held CREATED.idle edited retried
CREATED.held CREATED.unconfirmed editedUnconfirmed resumed
CREATED.uploading DELETED.uploading deleted createAbandoned
CREATED.unconfirmed DELETED.unconfirmed deleted createAbandoned
CREATED.deciding DELETED.deciding deleted
CREATED.idle absent discarded abandoned
CREATED.held absent discarded abandoned
CREATED.held DELETED.unconfirmed deletedUnconfirmed createAbandoned
CREATED.idle DELETED.unconfirmed createAbandoned
*CREATED.idle CREATED.uploading sent
CREATED.unconfirmed CREATED.uploading sent
CREATED.idle CREATED.held exhausted
CREATED.unconfirmed CREATED.held exhausted
CREATED.deciding CREATED.held exhausted
CREATED.deciding EDITED.idle rebased
CREATED.idle SYNCD converged
CREATED.deciding SYNCD converged adopted
CREATED.held SYNCD converged accepted
CREATED.idle CREATED.deciding clashed
CREATED.held CREATED.deciding clashed
CREATED.deciding CREATED.idle gone
CREATED.held CREATED.held gone seen idempotencyLost
*CREATED.uploading SYNCD accepted
CREATED.unconfirmed SYNCD accepted
CREATED.uploading EDITED.idle acceptedEarlier
CREATED.unconfirmed EDITED.idle acceptedEarlier
CREATED.held EDITED.idle acceptedEarlier
CREATED.uploading absent acceptedThenDeleted
CREATED.uploading CREATED.idle conflicted refusedEarlier
CREATED.uploading CREATED.held refused refusedUnconfirmed
CREATED.uploading CREATED.unconfirmed lost
EDITED.idle EDITED.idle edited rebased
EDITED.uploading EDITED.uploading edited seen
EDITED.unconfirmed EDITED.unconfirmed edited seen idempotencyLost
EDITED.deciding EDITED.deciding edited clashed gone escalatedToUser stale
EDITED.held EDITED.idle edited retried acceptedEarlier
EDITED.idle SYNCD reverted resigned converged
EDITED.held SYNCD reverted resigned converged accepted
EDITED.held EDITED.unconfirmed editedUnconfirmed resumed
EDITED.idle DELETED.idle deleted
EDITED.uploading DELETED.uploading deleted
EDITED.unconfirmed DELETED.unconfirmed deleted
EDITED.deciding DELETED.deciding deleted
EDITED.held DELETED.idle deleted
EDITED.held DELETED.unconfirmed deletedUnconfirmed
*EDITED.uploading SYNCD resigned accepted
EDITED.unconfirmed SYNCD resigned accepted
EDITED.held absent abandoned
*EDITED.idle EDITED.uploading sent
EDITED.unconfirmed EDITED.uploading sent
EDITED.idle EDITED.held exhausted
EDITED.unconfirmed EDITED.held exhausted
EDITED.deciding EDITED.held exhausted
EDITED.deciding EDITED.idle rebased
EDITED.held EDITED.held rebased seen idempotencyLost
EDITED.deciding SYNCD converged adopted
EDITED.idle EDITED.deciding clashed gone
EDITED.held EDITED.deciding clashed gone
EDITED.uploading EDITED.idle acceptedEarlier conflicted refusedEarlier
EDITED.unconfirmed EDITED.idle acceptedEarlier
EDITED.uploading CREATED.idle acceptedGone
EDITED.unconfirmed CREATED.idle acceptedGone
EDITED.held CREATED.idle acceptedGone
EDITED.uploading absent acceptedThenDeleted
EDITED.uploading EDITED.held refused refusedUnconfirmed
EDITED.uploading EDITED.unconfirmed lost
EDITED.deciding absent erased
EDITED.deciding CREATED.idle recreated
DELETED.idle EDITED.idle created
DELETED.uploading EDITED.uploading created
DELETED.unconfirmed EDITED.unconfirmed created
DELETED.deciding EDITED.deciding created
DELETED.held EDITED.idle created
DELETED.idle CREATED.idle createdAgain
DELETED.uploading CREATED.uploading createdAgain
DELETED.unconfirmed CREATED.unconfirmed createdAgain
DELETED.deciding CREATED.deciding createdAgain
DELETED.held CREATED.idle createdAgain
DELETED.idle SYNCD reverted resigned
DELETED.held SYNCD reverted resigned
DELETED.held EDITED.unconfirmed createdUnconfirmed
DELETED.held CREATED.unconfirmed createdAgainUnconfirmed
DELETED.held DELETED.idle retried rebased acceptedEarlier
DELETED.held DELETED.unconfirmed resumed createAbandoned
DELETED.uploading SYNCD resigned
DELETED.unconfirmed SYNCD resigned
DELETED.idle absent abandoned gone
DELETED.held absent abandoned gone accepted
*DELETED.idle DELETED.uploading sent
DELETED.unconfirmed DELETED.uploading sent
DELETED.idle DELETED.held exhausted
DELETED.unconfirmed DELETED.held exhausted
DELETED.deciding DELETED.held exhausted
DELETED.held DELETED.held exhausted seen idempotencyLost
DELETED.idle DELETED.idle rebased
DELETED.deciding DELETED.idle rebased
DELETED.idle DELETED.deciding clashed
DELETED.deciding DELETED.deciding clashed escalatedToUser stale
DELETED.held DELETED.deciding clashed
*DELETED.uploading absent gone accepted cancelledCreateRefused
DELETED.unconfirmed absent gone accepted
DELETED.deciding absent gone
DELETED.uploading DELETED.uploading seen
DELETED.unconfirmed DELETED.unconfirmed seen idempotencyLost
DELETED.uploading DELETED.idle acceptedEarlier conflicted refusedEarlier
DELETED.unconfirmed DELETED.idle acceptedEarlier
DELETED.uploading DELETED.held refused refusedUnconfirmed
DELETED.uploading DELETED.unconfirmed lost
DELETED.deciding SYNCD adopted
DELETED.deciding EDITED.idle revived
"""
MEANINGS = [
    ["created", "The app created a record."],
    ["edited", "The app changed a record."],
    ["reverted", "The app changed a record back to the confirmed content, and no upload is pending."],
    ["deleted", "The app deleted a record that the server has, or may have."],
    ["refreshed", "A row was received, and the record has no local change."],
    ["repeated", "A row was received whose version is known already."],
    ["gone", "The server no longer has the record."],
    ["editedUnconfirmed", "The app changed a held record whose upload is unconfirmed."],
    ["discarded", "The app deleted a record that the server can't have."],
    ["deletedUnconfirmed", "The app deleted a held record whose upload is unconfirmed."],
    ["retried", "A held record is retried, and it has no upload."],
    ["resumed", "A held record is retried, and its upload is unconfirmed."],
    ["abandoned", "A create was discarded, and the server can't have it."],
    ["createAbandoned", "A create was discarded, and the server may have it."],
    ["sent", "The upload was put into a POST."],
    ["exhausted", "The record reached its limit of tries."],
    ["rebased", "A row was received, and the local change stays on top of it."],
    ["converged", "A row was received that contains the whole local change."],
    ["clashed", "A row was received that conflicts with the local change."],
    ["seen", "A row was received while an upload is unconfirmed; it is applied after the outcome is known."],
    ["accepted", "The server accepted the upload, and nothing was changed here meanwhile."],
    ["acceptedEarlier", "The server accepted the upload, and more was changed here meanwhile."],
    ["acceptedThenDeleted", "The server accepted the upload, and the record was deleted there afterwards; nothing was changed here meanwhile."],
    ["conflicted", "The server did not accept the upload: the record has another version there."],
    ["refused", "The server refused the upload for its content."],
    ["refusedEarlier", "The server refused an upload that was changed here meanwhile."],
    ["refusedUnconfirmed", "The server refused a whole request, and may have accepted this upload before."],
    ["lost", "The outcome of the upload is unknown."],
    ["idempotencyLost", "The server may no longer repeat its answer to the upload."],
    ["adopted", "The server's version won, or a merge that left nothing to send."],
    ["escalatedToUser", "The user has to decide."],
    ["stale", "A decision about facts that have changed after it was made."],
    ["resigned", "The local change was discarded, and the confirmed version is shown."],
    ["acceptedGone", "The server accepted the delete, and the record was created again here meanwhile."],
    ["erased", "The server's deletion won."],
    ["recreated", "The local edit won over the server's deletion."],
    ["createdAgain", "The app created a record again that was deleted here before the server confirmed it."],
    ["createdUnconfirmed", "The app created a record again that is held as deleted, and its upload is unconfirmed."],
    ["createdAgainUnconfirmed", "The app created a never confirmed record again that is held as deleted, and its upload is unconfirmed."],
    ["cancelledCreateRefused", "The server did not accept a create, and the record was deleted here meanwhile."],
    ["revived", "A merged content won over the local deletion."],
]
STATES = {"absent": [], "CREATED": 1, "SYNCD": [], "EDITED": 1, "DELETED": 1}
ACTIVITIES = ["idle", "uploading", "unconfirmed", "deciding", "held"]
PHASES = [phase for state, has in STATES.items() for phase in ([f"{state}.{a}" for a in ACTIVITIES] if has else [state])]


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def diagram(phases):
    """The state diagram, with the number of records in each phase."""
    nodes = []
    for phase in PHASES:
        state, _, activity = phase.partition(".")
        node = {"phase": phase, "state": state, "count": phases.count(phase)}
        nodes.append({**node, "activity": activity} if activity else node)
    edges = []
    for line in EDGES.split("\n"):
        if not line:
            continue
        source, target, *events = line.lstrip("*").split()
        edges.append({"from": source, "to": target, "events": events, **({"main": True} if line[0] == "*" else {})})
    return {"nodes": nodes, "edges": edges, "events": MEANINGS}


def listed(items, total=None, **more):
    return {"total": len(items) if total is None else total, "items": items, **more}


def sample():
    milk = '{"title":"Milk","due":"2025-11-30","price":1.10,"done":false,"tags":["dairy","cold"],"shop":{"name":"Corner shop","street":"Mill Lane 4"},"code":9007199254740993}'
    seen = milk.replace('"Milk"', '"Soy milk"').replace("2025-11-30", "2025-12-02")
    view = milk.replace('"Milk"', '"Oat milk"').replace("2025-11-30", "2025-12-01").replace("Mill Lane 4", "Mill Lane 14")
    patch = '[{"op":"replace","path":"/title","value":"Oat milk"},{"op":"replace","path":"/due","value":"2025-12-01"},{"op":"replace","path":"/shop/street","value":"Mill Lane 14"}]'
    collections = ["notes", "tasks", "tags"]
    rows, words = [], "Milk Bread Tea Coffee Rice Apples Soap Paper Salt Pepper Honey Flour Yeast Butter Pears".split()
    special = {42: "EDITED.deciding", 7: "EDITED.held", 9: "CREATED.uploading", 12: "EDITED.idle", 15: "EDITED.unconfirmed", 31: "DELETED.idle"}
    for number in range(1, 62):
        word = {42: "Oat milk", 9: "Eggs", 7: "Bread, whole grain, from the bakery"}.get(number, words[number % len(words)])
        phase = special.get(number, "SYNCD")
        rows.append([0, str(number), PHASES.index(phase), f"{word} · {'done' if number % 3 else 'open'}"])
    for number in range(1, 1205):
        rows.append([1, f"t-{number:04}", PHASES.index("EDITED.idle" if number == 17 else "SYNCD"), f"Task {number} · {words[number % len(words)]}"])
    for number, word in enumerate(["home", "work", "later", "garden", "car", "school", "trip", "gift", "repair"]):
        rows.append([2, word, PHASES.index("SYNCD"), f"color {number}"])
    records = [
        {
            "collection": "notes", "pk": "42", "phase": "EDITED.deciding", "state": "EDITED", "version": "1764331300123",
            "base": milk, "pending": patch, "seen": seen, "view": view,
            "times": [["edited", NOW - 511_000], ["conflict since", NOW - 300_000]],
            "why": ["Both sides changed /title and /due, and the rule of this collection asks the user."],
            "next": ["You decide. Other records continue to sync, and this one can still be read and edited."],
            "commands": [f"tidemark conflicts {STORE} notes", f"tidemark resolve {STORE} --take server notes 42"],
            "actions": ["resign"], "digest": "5d41402a",
        },
        {
            "collection": "notes", "pk": "7", "phase": "EDITED.held", "state": "EDITED", "version": "1764330000007",
            "base": '{"title":"Bread","done":true,"price":2.50}',
            "pending": '[{"op":"replace","path":"/title","value":"Bread, whole grain, from the bakery at the corner"}]',
            "view": '{"title":"Bread, whole grain, from the bakery at the corner","done":true,"price":2.50}',
            "hold": {"status": 422, "words": "The server refused the change for its content.", "fields": [{"path": "/title", "words": "title is longer than 40 characters"}]},
            "why": ["The server refused this change (422)."], "next": ["It is sent again when it is edited or retried."],
            "times": [["edited", NOW - 3_600_000], ["refused", NOW - 3_540_000]],
            "commands": [f"tidemark retry {STORE} notes 7", f"tidemark resign {STORE} notes 7"], "actions": ["retry", "resign"], "digest": "7d793037",
        },
        {
            "collection": "notes", "pk": "9", "phase": "CREATED.uploading", "state": "CREATED", "request": "018f-6a2c-5",
            "upload": '[{"op":"add","path":"","value":{"title":"Eggs","done":false,"count":6}}]',
            "pending": '[{"op":"replace","path":"/count","value":12}]', "view": '{"title":"Eggs","done":false,"count":12}',
            "why": ["The create is in a request; its answer is not known yet."], "next": ["Later changes are sent after the answer."],
            "times": [["created", NOW - 90_000], ["sent", NOW - 30_000]], "commands": [f"tidemark explain {STORE} notes 9"], "digest": "45c48cce",
        },
        {
            "collection": "notes", "pk": "31", "phase": "DELETED.idle", "state": "DELETED", "version": "1764000000031",
            "base": '{"title":"Soap","done":true}', "why": ["It was deleted here, and the delete is not sent yet."], "next": ["It is sent with the next sync."],
            "commands": [f"tidemark resign {STORE} notes 31"], "actions": ["resign"], "digest": "6c8349cc",
        },
        {
            "collection": "tags", "pk": "home", "phase": "SYNCD", "state": "SYNCD", "version": "17", "base": '{"name":"home","color":0,"weights":[1.10,2.0e3]}',
            "view": '{"name":"home","color":0,"weights":[1.10,2.0e3]}', "why": ["It is as on the server."], "next": ["Nothing is to be done."],
        },
    ]
    # The other records are in sync, or have one change.
    known = {(record["collection"], record["pk"]) for record in records}
    for collection, pk, phase, text in rows:
        if (collections[collection], pk) in known:
            continue
        title, _, state = text.partition(" · ")
        record = {"collection": collections[collection], "pk": pk, "phase": PHASES[phase], "state": PHASES[phase].split(".")[0], "version": str(1764000000000 + len(records)),
                  "base": compact({"title": title, "state": state, "tags": [], "shop": {"name": "Corner shop"}}), "why": ["It is as on the server."], "next": ["Nothing is to be done."]}
        if PHASES[phase] != "SYNCD":
            record |= {"view": record["base"].replace(title, title + ", new"), "upload" if "unconfirmed" in PHASES[phase] else "pending": compact([{"op": "replace", "path": "/title", "value": title + ", new"}]),
                       "why": ["It was changed here, and the server has not confirmed the change."], "next": ["It is sent with the next sync."], "commands": [f"tidemark explain {STORE} {collections[collection]} {pk}"]}
        records.append(record)
    steps = [
        ("notes", "42", "refreshed", "absent", "SYNCD", 5400), ("notes", "7", "edited", "SYNCD", "EDITED.idle", 3600),
        ("notes", "7", "sent", "EDITED.idle", "EDITED.uploading", 3545), ("notes", "7", "refused", "EDITED.uploading", "EDITED.held", 3540),
        ("notes", "42", "edited", "SYNCD", "EDITED.idle", 511), ("notes", "42", "edited", "EDITED.idle", "EDITED.idle", 498),
        ("notes", "42", "sent", "EDITED.idle", "EDITED.uploading", 330), ("notes", None, "dueToPost", "idle", "posting", 330),
        ("notes", "42", "conflicted", "EDITED.uploading", "EDITED.idle", 301), ("notes", "42", "clashed", "EDITED.idle", "EDITED.deciding", 300),
        ("notes", "42", "escalatedToUser", "EDITED.deciding", "EDITED.deciding", 300), ("notes", "9", "created", "absent", "CREATED.idle", 90),
        ("notes", "9", "sent", "CREATED.idle", "CREATED.uploading", 30), ("notes", "9", "edited", "CREATED.uploading", "CREATED.uploading", 12),
        ("tasks", None, "failed", "getting", "paused", 8),
    ]
    timeline = []
    for n, (collection, pk, event, source, target, ago) in enumerate(steps, 1):
        step = {"n": n, "time": NOW - ago * 1000, "of": "record" if pk else "exchange", "collection": collection, "event": event, "from": source, "to": target}
        timeline.append({**step, **({"pk": pk} if pk else {}), **({"request": "018f-6a2c-5"} if event == "sent" else {}), **({"failure": "auth"} if event == "failed" else {})})
    conflict = {
        "collection": "notes", "pk": "42", "kind": "edit-edit", "digest": "5d41402a",
        "clashes": [
            {"path": "/title", "base": '"Milk"', "server": '"Soy milk"', "client": '"Oat milk"'},
            {"path": "/due", "base": '"2025-11-30"', "server": '"2025-12-02"', "client": '"2025-12-01"'},
        ],
        "commands": [f"tidemark resolve {STORE} --take server notes 42", f"tidemark resolve {STORE} --take client notes 42"],
    }
    journal = [
        {"n": n, "time": NOW - ago * 1000, "collection": "notes", "pk": pk, "path": path, "kind": kind, "side": side, **({"value": value} if value else {})}
        for n, pk, path, kind, side, value, ago in [
            (14, "42", "/price", "merge", "client", "1.20", 5000), (13, "12", "/title", "take-server", "client", '"Rice, brown"', 9000),
            (12, "12", "/tags", "merge", "server", '["grain","dry"]', 9000), (11, "33", "", "resign", "client", '{"title":"Pears","count":3}', 90000),
            (10, "20", "/done", "replaced", "client", "true", 180000), (9, "20", "/shop/street", "altered", "client", None, 180000),
        ]
    ]
    phases = [PHASES[row[2]] for row in rows]
    return {
        "format": 1, "title": "phone.db", "source": "read-only copy of 12:03:11 UTC", "made": NOW, "actions": False,
        "notes": ["In flight when copied, if the app was syncing: notes/9."],
        "status": {"summary": "paused", "words": "4 changes wait to be sent. 1 conflict waits for you, 1 record is held, and tasks is paused.", "lastInSync": NOW - 3_600_000, "nextTry": NOW + 59_000, "requests": 12, "bytes": 48_210, "hints": True},
        "collections": [
            {"name": "notes", "counts": {"SYNCD": 55, "EDITED": 4, "CREATED": 1, "DELETED": 1}, "uploads": 2, "conflicts": 1, "held": 1, "lastInSync": NOW - 3_600_000, "cursor": "1764331300193"},
            {"name": "tasks", "counts": {"SYNCD": 1203, "EDITED": 1}, "paused": "the server rejected the token (401)", "lastInSync": NOW - 86_000_000, "cursor": "1764245391000"},
            {"name": "tags", "counts": {"SYNCD": 9}, "lastInSync": NOW - 60_000, "cursor": "88"},
        ],
        "problems": listed([
            {"kind": "conflict", "collection": "notes", "pk": "42", "why": "Both sides changed /title and /due.", "helps": "Decide by field, or take one side.", "commands": [f"tidemark resolve {STORE} --take server notes 42"], "digest": "5d41402a"},
            {"kind": "held", "collection": "notes", "pk": "7", "why": "The server refused the change (422): title is longer than 40 characters.", "helps": "Edit the title, retry the change, or discard it.", "commands": [f"tidemark retry {STORE} notes 7"], "actions": ["retry"], "digest": "7d793037"},
            {"kind": "paused", "collection": "tasks", "why": "The server rejected the token (401). No data is lost.", "helps": "Set the right token, then sync.", "commands": [f"tidemark init {STORE} --token T"], "actions": ["resume"]},
        ]),
        "queue": listed([
            {"collection": "notes", "pk": "15", "phase": "EDITED.unconfirmed", "bytes": 168, "edits": 1, "request": "018f-6a2c-4"},
            {"collection": "notes", "pk": "12", "phase": "EDITED.idle", "bytes": 96, "edits": 2},
            {"collection": "notes", "pk": "31", "phase": "DELETED.idle", "bytes": 44, "edits": 1},
            {"collection": "tasks", "pk": "t-0017", "phase": "EDITED.idle", "bytes": 121, "edits": 1},
        ]),
        "diagram": diagram(phases), "rows": listed(rows), "records": records, "timeline": listed(timeline[::-1]),
        "journal": listed(journal, 14, all=f"tidemark journal {STORE}"), "conflicts": listed([conflict]),
    }


def hostile():
    """Texts that try to be markup, a script, another order of letters, or more than a page can draw."""
    markup = "</script><script>window.hurt=1</script><img src=x onerror=window.hurt=1><svg onload=window.hurt=1>"
    bidi = "a\u202egnp.exe\u202c \u2066x\u2069 \u0000 \u0007 \u2028 \u200b \ufeff end"
    names = ["__proto__", "constructor", "toString", "hasOwnProperty", markup, bidi, "", "~/", "\ud800", "日本 العربية", "z\u0301" * 40]
    members = ",".join(f'"m{n}":{n}.10' for n in range(10_000))
    documents = {
        "markup": compact({"text": markup, markup: 1}), "bidi": compact({"text": bidi}), "big": compact({"text": "x" * 1_000_000}),
        "wide": "{" + members + "}", "deep": "[" * 1000 + "1.10" + "]" * 1000, "deep objects": '{"a":' * 1000 + "9007199254740993" + "}" * 1000,
        "proto": '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"hasOwnProperty":1}',
        "numbers": '{"a":9007199254740993,"b":1.10,"c":1E400,"d":-0,"e":0.1e-7,"f":123456789012345678901234567890}',
        "broken": '{"a":1,,}', "marks": compact({"text": "\u202e" * 50_000}), "slashes": '"' + "\\\\" * 200_000 + '"', "same key": '{"a":1,"a":2}',
    }
    rows, records = [], []
    for pk, text in list(documents.items()) + [(name, compact({"name": name})) for name in names]:
        rows.append([0, pk, PHASES.index("EDITED.held"), text[:200]])
        path = "/" + pk.replace("~", "~0").replace("/", "~1")
        records.append({
            "collection": markup, "pk": pk, "phase": "EDITED.held", "state": "EDITED", "version": compact(bidi), "base": text, "view": text, "seen": text, "upload": "[]",
            "pending": compact([{"op": "replace", "path": path, "value": pk}, {"op": "add", "path": "/__proto__/polluted", "value": markup}]),
            "hold": {"status": 422, "words": markup, "fields": [{"path": path, "words": bidi}]}, "why": [markup, bidi], "next": [bidi], "commands": ["tidemark get '" + pk.replace("'", "'\\''") + "'"], "times": [[markup, 8.7e15]],
        })
    conflict = {"collection": markup, "pk": "proto", "kind": bidi, "clashes": [{"path": "/__proto__", "base": "{}", "server": compact(markup)}, {"path": "", "client": documents["deep"]}]}
    steps = [{"n": n, "of": "record", "collection": markup, "pk": pk, "event": bidi, "from": markup, "to": "__proto__", "request": markup} for n, (_, pk, _, _) in enumerate(rows)]
    entries = [{"n": n, "collection": markup, "pk": pk, "path": markup, "kind": "__proto__", "side": bidi, "value": text} for n, (pk, text) in enumerate(documents.items())]
    return {
        "format": 1, "title": markup, "source": bidi, "made": NOW, "actions": False, "notes": [markup], "status": {"words": markup + bidi},
        "collections": [{"name": markup, "counts": {"EDITED": len(rows), "__proto__": 3}, "paused": bidi, "cursor": markup}],
        "problems": listed([{"kind": "__proto__", "collection": markup, "pk": pk, "why": markup, "helps": bidi, "commands": [bidi]} for _, pk, _, _ in rows]),
        "queue": listed([{"collection": markup, "pk": pk, "phase": "__proto__", "bytes": 1, "edits": 1, "request": markup} for _, pk, _, _ in rows]),
        "diagram": diagram([PHASES[row[2]] for row in rows]), "rows": listed(rows), "records": records, "timeline": listed(steps), "journal": listed(entries), "conflicts": listed([conflict]),
    }


def empty():
    return {"format": 1, "title": "new.db", "made": NOW, "status": {"words": "Not synced yet."}, "collections": [], "diagram": diagram([])}


def many(count=100_000):
    data = sample()
    rows = [[n % 3, f"{n:08x}-{n * 2654435761 % 2**32:08x}", PHASES.index("EDITED.idle" if n % 500 == 0 else "SYNCD"), f"Record {n} · a line of its content that is as long as usual"] for n in range(count)]
    return {**data, "title": "large.db", "records": data["records"][:20], "rows": listed(rows), "diagram": diagram([PHASES[row[2]] for row in rows]),
            "collections": [{"name": name, "counts": {"SYNCD": count // 3, "EDITED": 67}, "lastInSync": NOW} for name in ("notes", "tasks", "tags")]}


ALL = {"sample": sample, "hostile": hostile, "empty": empty, "many": many}

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name, make in ALL.items():
        (pathlib.Path(sys.argv[1]) / f"{name}.json").write_text(json.dumps(make()))
