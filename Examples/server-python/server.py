#!/usr/bin/env python3
"""A server of Tidemark's protocol (TheWire.md, level minimal) on Python's standard library and SQLite.

server.py token ACCOUNT       adds a token for an account, and prints it
server.py serve [HOST:PORT]   serves, on 127.0.0.1:8080 by default
server.py new-epoch           after the database was restored from a backup, before the server is started again
"""
import contextlib, copy, hashlib, http.server, json, os, re, secrets, socket, sqlite3, sys, threading, time, traceback
from decimal import Decimal
from http import HTTPStatus
from urllib.parse import parse_qsl, unquote

BODY, RECORD, NAME, DEPTH, ROWS = 8 << 20, 4 << 20, 512, 200, 500  # bytes, bytes, bytes, levels of nesting, rows of a page

TABLES = """
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS history (epoch TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS token (hash TEXT PRIMARY KEY, account TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS record (feed TEXT, pk TEXT, version INTEGER, data TEXT,
    PRIMARY KEY (feed, pk), UNIQUE (feed, version));
CREATE TABLE IF NOT EXISTS answer (feed TEXT, request_id TEXT, edit TEXT, result TEXT, PRIMARY KEY (feed, request_id));
"""


class SQLiteStore:
    def __init__(self, path):
        self.path = path
        with contextlib.closing(sqlite3.connect(path, timeout=20)) as database:
            database.executescript(TABLES)

    @contextlib.contextmanager
    def transaction(self, lock=None):
        """Runs statements, and commits all or none. A writer names a lock, and waits for the commit of its holder (W3)."""
        with contextlib.closing(sqlite3.connect(self.path, timeout=20, isolation_level=None)) as database, database:
            database.execute("BEGIN IMMEDIATE" if lock else "BEGIN")
            yield database.execute


class Problem(Exception):
    """A refusal of a request or of one edit (RFC 9457)."""

    def __init__(self, status, code, detail, **members):
        self.document = {"status": status, "title": HTTPStatus(status).phrase, "code": code, "detail": detail, **members}


class Number:
    """A number of JSON. It keeps its text, so that 1.10 does not become 1.1; but both are equal."""

    def __init__(self, text):
        self.text, self.value = text, Decimal(text)

    def __eq__(self, other):
        return isinstance(other, Number) and self.value == other.value


def parse(text):
    return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=int)  # int refuses NaN


def write(value, depth=DEPTH):
    """Returns the text of a value that `parse` has returned."""
    if isinstance(value, Number):
        return value.text
    if depth == 0 and isinstance(value, (dict, list)):
        raise RecursionError("it is nested too deeply")
    if isinstance(value, dict):
        return "{" + ",".join([f"{write(name)}:{write(member, depth - 1)}" for name, member in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ",".join([write(element, depth - 1) for element in value]) + "]"
    return json.dumps(value, ensure_ascii=False)


def is_name(value):
    """Returns whether a value can be the name of a record, a request or a collection."""
    return isinstance(value, str) and 0 < len(value.encode()) <= NAME


def is_operation(value):
    """Returns whether a value is an operation of JSON Patch that clients send."""
    kind, path = (value.get("op"), value.get("path")) if isinstance(value, dict) else (None, None)
    return ((kind == "remove" or kind in ("add", "replace") and "value" in value)
            and isinstance(path, str) and re.fullmatch("(/([^/~]|~[01])*)*", path))


def key(place, step):
    """Returns the index of an element, or the name of a member."""
    return int(step) if isinstance(place, list) and re.fullmatch("0|[1-9][0-9]{0,8}", step) else step


def patched(document, patch):
    """Returns a copy of a document (None: there is no document) after the operations."""
    root = {} if document is None else {"": copy.deepcopy(document)}
    for operation in patch:
        *parents, last = [step.replace("~1", "/").replace("~0", "~") for step in operation["path"].split("/")]
        try:
            place = root
            for step in parents:
                place = place[key(place, step)]
            last = key(place, last)
            if operation["op"] != "add":
                place[last]  # has to exist
            if operation["op"] == "remove":
                del place[last]
            elif operation["op"] == "add" and isinstance(place, list):
                place.insert(len(place) if last == "-" else range(len(place) + 1)[last], operation["value"])
            else:
                place[last] = operation["value"]
        except (LookupError, TypeError):
            raise Problem(422, "patch-failed", "the document has no such place", pointer=operation["path"]) from None
    return root.get("")


def item(pk, version, data):
    content = {"is_active": False} if data is None else {"is_active": True, "data": parse(data)}
    return {"pk": json.loads(pk), "updated_at": Number(str(version)), **content}


class Feed:
    """A collection of an account, within a transaction. Names are stored as JSON, since some databases refuse U+0000."""

    def __init__(self, run, account, collection):
        self.run, self.account, self.name = run, account, write([account, collection])
        self.epoch = run("SELECT epoch FROM history").fetchone()[0]
        self.newest = run("SELECT max(version) FROM record WHERE feed = ?", [self.name]).fetchone()[0] or 0
        self.history = digest(write([self.epoch, self.name]))[:16]

    def position(self, cursor):
        """Returns the version of the last row that the client has; refuses a cursor of another history (W8)."""
        history, _, position = (cursor or f"{self.history}.0").rpartition(".")
        if history != self.history or not re.fullmatch("[0-9]{1,18}", position) or int(position) > self.newest:
            code = "server-rolled-back" if history == self.history else "history-lost"
            raise Problem(410, code, "this cursor is of another history or collection", account=self.account)
        return int(position)

    def page(self, position, limit):
        """Returns the rows after a position, and the cursor of the last one (W6)."""
        rows = self.run("SELECT pk, version, data FROM record WHERE feed = ? AND version > ? ORDER BY version LIMIT ?",
                        [self.name, position, limit + 1]).fetchall()
        items, more = [item(*row) for row in rows[:limit]], len(rows) > limit
        newest = items[-1]["updated_at"].text if items else position
        return {"items": items, "max_updated_at": f"{self.history}.{newest}", "more": more,
                "epoch": self.epoch, "account": self.account}

    def result(self, edit):
        """Applies an edit, or repeats the answer to its request_id (W4). A refusal is a result, too (W5)."""
        edit = edit if isinstance(edit, dict) else {}
        request, pk = [name if isinstance(name, str) else "" for name in (edit.get("request_id"), edit.get("pk"))]
        result = {"request_id": request, "pk": pk, "is_conflicted": False, "item": None, "error": None}
        if not is_name(request):
            return {**result, "error": Problem(400, "malformed-edit", f"request_id must have 1 to {NAME} bytes").document}
        key, text = [self.name, write(request)], write(edit, 2 * DEPTH)
        known = self.run("SELECT edit, result FROM answer WHERE feed = ? AND request_id = ?", key).fetchone()
        if known and parse(known[0]) != edit:
            return {**result, "error": Problem(422, "request-id-reused", "this request_id is of another edit").document}
        if known:
            return parse(known[1])
        try:
            result["is_conflicted"], result["item"] = self.decide(edit)
        except Problem as problem:
            result["error"] = problem.document
        except RecursionError:
            result["error"] = Problem(422, "nested-too-deeply", f"a record may be nested {DEPTH} levels deep").document
        self.run("INSERT INTO answer VALUES (?, ?, ?, ?)", [*key, text, write(result, DEPTH + 9)])
        return result

    def decide(self, edit):
        """Accepts an edit or not, by versions only (W1, W7). Returns whether it is conflicted, and the present item."""
        pk, state, version, patch = [edit.get(name) for name in ("pk", "sync_state", "updated_at", "edited_data")]
        for name, is_valid in {
                "pk": is_name(pk), "sync_state": state in ("CREATED", "EDITED", "DELETED"),
                "updated_at": version is None or isinstance(version, Number),
                "edited_data": state == "DELETED" or isinstance(patch, list) and all(map(is_operation, patch))}.items():
            if not is_valid:
                raise Problem(400, "malformed-edit", f"{name} is missing or malformed", pointer=f"/{name}")
        row = self.run("SELECT pk, version, data FROM record WHERE feed = ? AND pk = ?", [self.name, write(pk)]).fetchone()
        present = item(*row) if row else {"updated_at": None, "is_active": False}
        shown, is_live, is_current = row and present, present["is_active"], present["updated_at"] == version
        if state == "DELETED" and not is_live:
            return False, shown
        if not is_current or state == "EDITED" and not is_live:
            return True, shown
        if state == "DELETED":
            return False, self.put(pk, None)
        data = patched(present["data"] if state == "EDITED" else None, patch)
        if not isinstance(data, dict):
            raise Problem(422, "not-an-object", "a record must be an object after the edit", pointer="")
        if len(write(data).encode()) > RECORD:
            raise Problem(413, "record-too-large", f"a record may have {RECORD} bytes")
        return False, present if is_live and present["data"] == data else self.put(pk, write(data))  # W9

    def put(self, pk, data):
        """Stores a record, or a tombstone, with the next version: the clock's microseconds, or the newest version + 1."""
        self.newest = max(self.newest + 1, time.time_ns() // 1000)
        self.run("""INSERT INTO record (feed, pk, version, data) VALUES (?, ?, ?, ?)
                    ON CONFLICT (feed, pk) DO UPDATE SET version = excluded.version, data = excluded.data""",
                 [self.name, write(pk), self.newest, data])
        return item(write(pk), self.newest, data)


class Handler(http.server.BaseHTTPRequestHandler):
    timeout = 30  # seconds without a byte
    default_request_version = "HTTP/1.0"  # also the answer to a malformed request has a head

    def do_GET(self):
        try:
            self.send(200, self.answer())
        except Problem as problem:
            self.send(problem.document["status"], problem.document)
        except Exception:
            traceback.print_exc()
            self.send(500, Problem(500, "server-failed", "the log of the server has the reason").document)

    do_POST = do_GET

    def answer(self):
        scheme, _, token = self.headers.get("Authorization", "").partition(" ")
        with self.server.store.transaction() as run:
            known = run("SELECT account FROM token WHERE hash = ?", [digest(token.strip())]).fetchone()
        if scheme.lower() != "bearer" or known is None:
            raise Problem(401, "not-authorized", "the token is missing or unknown; sign in again")
        path, _, query = self.path.partition("?")
        segment, query = re.fullmatch("/v1/([^/]*)", path), dict(parse_qsl(query))
        if segment is None or "watch" in query:
            raise Problem(404, "no-such-path", "this server has /v1/COLLECTION, and no change notifications")
        collection, limit = unquote(segment[1]), query.get("limit", str(ROWS))  # split, then decoded: a%2Fb is one name
        if collection and not is_name(collection) or not re.fullmatch("0*[1-9][0-9]{0,8}", limit):
            raise Problem(400, "malformed-target", f"a name has at most {NAME} bytes; limit is a whole number above 0")
        edits = self.edits() if self.command == "POST" else None
        with self.server.store.transaction(lock=edits and write([known[0], collection])) as run:
            feed = Feed(run, known[0], collection)
            if not collection:
                return {"wire": 1, "level": "minimal", "epoch": feed.epoch, "account": feed.account}
            position = feed.position(query.get("max_updated_at"))
            results = {} if edits is None else {"results": [feed.result(edit) for edit in edits]}
            return {**results, **feed.page(position, min(int(limit), ROWS))}

    def edits(self):
        if self.headers.get("Content-Encoding", "identity") != "identity":
            raise Problem(415, "unsupported-encoding", "send the body again without compression")
        try:
            length = int(self.headers["Content-Length"])
            if not 0 <= length <= BODY:
                raise Problem(413, "body-too-large", f"a body may have {BODY} bytes; send fewer edits at once")
            edits = parse(self.rfile.read(length).decode())["edits"]
            if not isinstance(edits, list):
                raise TypeError("it is not an array")
            write(edits, 2 * DEPTH).encode()  # refuses deeper nesting, and a surrogate that is not in a pair
            return edits
        except (ValueError, ArithmeticError, KeyError, TypeError, RecursionError) as error:
            raise Problem(400, "malformed-body", f"the body must be an object with an array “edits”: {error}") from None

    def send(self, status, value):
        body, kind = write(value, DEPTH + 9).encode(), "application/json" if status == 200 else "application/problem+json"
        self.send_response(status)
        for name, field in {"Content-Type": kind, "Content-Length": len(body), "Tidemark-Wire": 1, "Cache-Control": "no-store",
                            "WWW-Authenticate": "Bearer"}.items():
            self.send_header(name, field)
        self.end_headers()
        self.wfile.write(body)

    def send_error(self, code, message=None, explain=None):
        self.send(code, Problem(code, "malformed-head", message or "the request is malformed").document)

    def handle(self):
        """Answers one request, within two minutes."""
        timer = threading.Timer(120, self.connection.shutdown, [socket.SHUT_RDWR])
        timer.start()
        with contextlib.suppress(OSError):
            super().handle()
            # Reads a body that was refused: otherwise the connection is reset, and the answer may be lost.
            self.connection.shutdown(socket.SHUT_WR)
            while self.connection.recv(1 << 16):
                pass
        timer.cancel()


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def main(store):
    command, argument, *_ = sys.argv[1:] + ["", ""]
    if command not in ("serve", "new-epoch") and (command != "token" or not argument):
        raise SystemExit(__doc__)
    with store.transaction(lock="history") as run:
        if command == "new-epoch" or not run("SELECT epoch FROM history").fetchone():
            run("DELETE FROM history")
            run("INSERT INTO history VALUES (?)", [secrets.token_hex(8)])
        if command == "token":
            print(token := secrets.token_urlsafe(24))
            run("INSERT INTO token VALUES (?, ?)", [digest(token), argument])
    if command == "serve":
        host, _, port = (argument or "127.0.0.1:8080").rpartition(":")
        server = http.server.ThreadingHTTPServer((host, int(port)), Handler)
        server.store = store
        print(f"listening on http://{host}:{server.server_port}/v1", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main(SQLiteStore(os.environ.get("TIDEMARK_DATABASE", "tidemark.db")))
