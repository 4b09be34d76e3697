"""Tidemark's protocol (TheWire.md, level minimal), without HTTP: the rules, over any SQL database that can lock a row."""
import hashlib
import json
import re
import time
from http import HTTPStatus

RECORD, ROWS, NAME, DEPTH = 4 << 20, 500, 512, 200  # bytes of a record, rows of a page, bytes of a name, nesting


class Problem(Exception):
    """A refusal of a request or of one edit (RFC 9457)."""

    def __init__(self, status, code, detail, **members):
        self.status, title = status, HTTPStatus(status).phrase
        self.text = quote({"type": "about:blank", "title": title, "status": status, "code": code, "detail": detail, **members})


# JSON that keeps the text of numbers and strings: 1.10 does not become 1.1, 1e400 is not an error.

class Number(str):
    """A number, as its text."""


def exact(number):
    """Returns the decimal value of a number's text: the same for 1, 1.0 and 10e-1, and unlike every other JSON value."""
    sign, whole, fraction, exponent = re.fullmatch(r"(-?)(\d+)(?:\.(\d+))?(?:[eE](.+))?", number).groups("")
    digits = (whole + fraction).lstrip("0")
    short = digits.rstrip("0")
    return (sign, short, int(exponent or 0) - len(fraction) + len(digits) - len(short)) if short else ("", "0", 0)


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def plain(text):
    """Parses strictly, for reading and comparing: equal JSON is equal here."""
    value = json.loads(text, parse_int=exact, parse_float=exact, parse_constant=refuse)
    quote(value).encode()  # raises for a surrogate that is not in a pair
    return value


def parse(text):
    """Parses for storing: numbers are their texts, and strings (but names of members) keep their escapes."""
    plain(text)
    escaped = re.sub(r"\\.", lambda escape: json.dumps(escape[0])[1:-1], text)
    return json.loads(escaped, parse_int=Number, parse_float=Number, object_pairs_hook=lambda pairs: {
        json.loads(f'"{name}"') if "\\" in name else name: value for name, value in pairs})


def write(value, depth=DEPTH):
    """Returns the text of a value that `parse` returned."""
    if depth == 0:
        raise Problem(422, "nested-too-deeply", f"a value may be nested {DEPTH} levels deep")
    if isinstance(value, dict):
        return "{" + ",".join([f"{quote(name)}:{write(member, depth - 1)}" for name, member in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ",".join([write(element, depth - 1) for element in value]) + "]"
    if isinstance(value, Number):
        return value
    return f'"{value}"' if isinstance(value, str) else json.dumps(value)


def quote(value):
    return json.dumps(value, ensure_ascii=False)


def named(name):
    """Returns whether a value can be the name of a record, a request or a collection."""
    return isinstance(name, str) and 2 < len(quote(name).encode()) <= NAME


# Edits

def checked(edit):
    """Refuses an edit that does not have the form of the protocol."""
    def must(condition, pointer, what):
        if not condition:
            raise Problem(400, "malformed-edit", f"{pointer} {what}", pointer=pointer)
    pk, state, version = edit.get("pk"), edit.get("sync_state"), edit.get("updated_at")
    must(named(pk), "/pk", f"must be a string of 1 to {NAME} bytes of JSON")
    must(state in ("CREATED", "EDITED", "DELETED"), "/sync_state", "must be CREATED, EDITED or DELETED")
    must(version is None or isinstance(version, tuple), "/updated_at", "must be the number that came with the row, or null")
    must(state == "DELETED" or isinstance(edit.get("edited_data"), list), "/edited_data", "must be an array")
    for place, step in enumerate([] if state == "DELETED" else edit["edited_data"]):
        must(isinstance(step, dict) and step.get("op") in ("add", "replace", "remove"), f"/edited_data/{place}",
             "must be an operation add, replace or remove")
        must(step["op"] == "remove" or "value" in step, f"/edited_data/{place}/value", "is missing")
        must(isinstance(step.get("path"), str) and re.fullmatch(r"(/([^/~]|~[01])*)*", step["path"]),
             f"/edited_data/{place}/path", "must be a JSON Pointer")
    return pk, state, version


def patched(document, patch, paths):
    """Returns the document (None: there is no document) after the operations."""
    root = {} if document is None else {"": document}
    for operation, pointer in zip(patch, paths):
        *parents, last = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")]
        place = root
        for step in parents:
            place = place[existing(place, step, pointer)]
        if operation["op"] == "remove":
            del place[existing(place, last, pointer)]
        elif operation["op"] == "add" and isinstance(place, list):
            at_end = last in ("-", str(len(place)))
            place.insert(len(place) if at_end else existing(place, last, pointer), operation["value"])
        else:
            is_new = operation["op"] == "add" and isinstance(place, dict)
            place[last if is_new else existing(place, last, pointer)] = operation["value"]
    return root.get("")


def existing(place, step, pointer):
    """Returns the name or the index of a step, which has to exist."""
    if isinstance(place, dict) and step in place:
        return step
    if isinstance(place, list) and re.fullmatch("0|[1-9][0-9]{0,8}", step) and int(step) < len(place):
        return int(step)
    raise Problem(422, "patch-failed", f"the document has no “{step}” there", pointer=pointer)


class Feed:
    """A collection of an account, within a transaction. With `lock`, no other writer can enter until the transaction ends."""

    def __init__(self, database, account, collection, lock=None):
        self.run, self.account, self.key, self.shown = database.execute, account, (account, quote(collection)), set()
        if lock is not None:
            self.run("INSERT INTO feed VALUES (?, ?, 0) ON CONFLICT DO NOTHING", self.key)
        row = self.run(f"SELECT newest FROM feed WHERE account = ? AND collection = ? {lock or ''}", self.key).fetchone()
        self.newest = row[0] if row else 0
        self.epoch = self.run("SELECT epoch FROM history").fetchone()[0]
        self.name = hashlib.sha256(quote(self.key).encode()).hexdigest()[:12]

    def judged(self, cursor):
        """Returns the position of a cursor; refuses one that is not of this history (W8)."""
        parts = re.fullmatch(r"([0-9a-f]+)\.([0-9a-f]+)\.([0-9]{1,18})\.([0-9]{1,18})", cursor, re.ASCII)
        if not parts or parts[1] == self.epoch and parts[2] != self.name:
            raise Problem(410, "history-lost", "this is not a cursor of this collection", account=self.account)
        if parts[1] != self.epoch or not int(parts[3]) <= int(parts[4]) <= self.newest:
            raise Problem(410, "server-went-back", "this cursor is of another history", account=self.account)
        return int(parts[3])

    def cursor(self, position):
        """Names the history, the collection, the last row that was read, and the newest row that there was."""
        return f"{self.epoch}.{self.name}.{position}.{self.newest}"

    def page(self, position, limit):
        """Returns the answer's members from `items` on, without the rows that a result of it has shown (W6)."""
        rows = self.run("""SELECT pk, version, data FROM record WHERE account = ? AND collection = ? AND version > ?
                           ORDER BY version LIMIT ?""", (*self.key, position, limit + 1)).fetchall()
        more = len(rows) > limit
        items = ",".join([item(json.loads(pk), row) for pk, *row in rows[:limit] if row[0] not in self.shown])
        cursor = self.cursor(rows[limit - 1][1] if more else self.newest)
        return (f'"items":[{items}],"max_updated_at":"{cursor}","more":{quote(more)},'
                f'"epoch":"{self.epoch}","account":{quote(self.account)}}}')

    def result(self, edit):
        """Applies an edit, or repeats the answer to its request_id (W4). A refusal is a result, too (W5)."""
        meaning = plain(write(edit, DEPTH + 3)) if isinstance(edit, dict) else {}
        request, pk = [name if isinstance(name, str) else "" for name in (meaning.get("request_id"), meaning.get("pk"))]

        def text(conflicted=False, row=None, error="null"):
            return (f'{{"request_id":{quote(request)},"pk":{quote(pk)},"is_conflicted":{quote(conflicted)},'
                    f'"item":{item(pk, row)},"error":{error}}}')
        if not named(request):
            return text(error=Problem(400, "malformed-edit", f"request_id must be a string of 1 to {NAME} bytes of JSON").text)
        digest = hashlib.sha256(json.dumps(meaning, sort_keys=True).encode()).hexdigest()
        known = self.run("SELECT digest, result FROM request WHERE account = ? AND collection = ? AND id = ?",
                         (*self.key, quote(request))).fetchone()
        if known and known[0] != digest:
            return text(error=Problem(422, "request-id-reused", "this request_id was used for another edit").text)
        if known:
            return known[1]
        try:
            conflicted, row = self.decide(edit, meaning)
            self.shown.add(row and row[0])
            result = text(conflicted, row)
        except Problem as problem:
            result = text(error=problem.text)
        self.run("INSERT INTO request VALUES (?, ?, ?, ?, ?)", (*self.key, quote(request), digest, result))
        return result

    def decide(self, edit, meaning):
        """Accepts an edit or not, by versions only (W1, W7). Returns whether it is conflicted, and the present row."""
        pk, state, version = checked(meaning)
        row = self.row(pk)
        live, current = row is not None and row[1] is not None, row is not None and version == exact(str(row[0]))
        if state == "DELETED":
            return (False, self.put(pk, None)) if live and current else (live, row)
        if not (live and current if state == "EDITED" else current or row is None and version is None):
            return True, row
        old = parse(row[1]) if state == "EDITED" else None
        new = patched(old, edit["edited_data"], [operation["path"] for operation in meaning["edited_data"]])
        if not isinstance(new, dict):
            raise Problem(422, "not-an-object", "a record must be an object after the edit", pointer="")
        data = write(new)
        if len(data.encode()) > RECORD:
            raise Problem(413, "record-too-large", f"a record may have {RECORD} bytes")
        return False, row if live and plain(row[1]) == plain(data) else self.put(pk, data)  # W9

    def row(self, pk):
        return self.run("SELECT version, data FROM record WHERE account = ? AND collection = ? AND pk = ?",
                        (*self.key, quote(pk))).fetchone()

    def put(self, pk, data):
        """Stores a record, or a tombstone, with the next version: the clock's microseconds, or the newest version + 1."""
        self.newest = max(self.newest + 1, time.time_ns() // 1000)
        self.run("""INSERT INTO record (account, collection, pk, version, data) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (account, collection, pk) DO UPDATE SET version = excluded.version, data = excluded.data""",
                 (*self.key, quote(pk), self.newest, data))
        self.run("UPDATE feed SET newest = ? WHERE account = ? AND collection = ?", (self.newest, *self.key))
        return self.newest, data


def item(pk, row):
    """Returns a row as the JSON of an ITEM; `data` is the text that is stored."""
    if row is None:
        return "null"
    state = '"is_active":false' if row[1] is None else f'"is_active":true,"data":{row[1]}'
    return f'{{"pk":{quote(pk)},"updated_at":{row[0]},{state}}}'
