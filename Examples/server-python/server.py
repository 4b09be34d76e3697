#!/usr/bin/env python3
"""A server of Tidemark's protocol (level minimal) on Python's standard library and SQLite: HTTP, tokens, the database.

server.py token ACCOUNT                adds a token for an account, and prints it
server.py serve [--listen HOST:PORT]   serves, on 127.0.0.1:8080 by default
server.py new-epoch                    after the database was restored from a backup, before the server is started again
"""
import argparse, contextlib, hashlib, json, os, re, secrets, socket, socketserver, sqlite3, sys, threading, traceback
import wsgiref.simple_server
from http import HTTPStatus
from urllib.parse import parse_qs, unquote, urlsplit

from protocol import NAME, ROWS, Feed, Problem, named, parse, quote

BODY, EDITS, SILENCE, DEADLINE = 8 << 20, 1000, 30, 120  # bytes, edits of a POST, seconds without a byte, of a request
TABLES = """
CREATE TABLE IF NOT EXISTS history (epoch TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS token (hash TEXT PRIMARY KEY, account TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS feed (account TEXT, collection TEXT, newest INTEGER, PRIMARY KEY (account, collection));
CREATE TABLE IF NOT EXISTS record (account TEXT, collection TEXT, pk TEXT, version INTEGER, data TEXT,
    PRIMARY KEY (account, collection, pk), UNIQUE (account, collection, version));
CREATE TABLE IF NOT EXISTS request (account TEXT, collection TEXT, id TEXT, digest TEXT, result TEXT,
    PRIMARY KEY (account, collection, id));
"""


class SQLiteStore:
    """One connection per thread. BEGIN IMMEDIATE is the lock: the next writer waits until this one has committed."""
    busy, lock = sqlite3.OperationalError, ""

    def __init__(self, path="tidemark.db"):
        self.path, self.thread = path, threading.local()
        with self.transaction(writes=False) as database:
            database.executescript(TABLES)

    @contextlib.contextmanager
    def transaction(self, writes):
        if not hasattr(self.thread, "database"):
            self.thread.database = sqlite3.connect(self.path, timeout=20, isolation_level=None)
            self.thread.database.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        with self.thread.database as database:  # commits, or rolls back after an error
            database.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
            yield database


class Application:
    """The server as a WSGI application."""

    def __init__(self, store):
        self.store = store

    def __call__(self, environ, start_response):
        status, kind, headers = 200, "application/json", []
        try:
            text = self.answer(environ)
        except Exception as error:
            if isinstance(error, self.store.busy):
                error = Problem(503, "server-failed", f"the database is busy: {error}")
            elif not isinstance(error, Problem):
                traceback.print_exc()
                error = Problem(500, "server-failed", "the log of the server has the reason")
            status, kind, text = error.status, "application/problem+json", error.text
            headers = {401: [("WWW-Authenticate", "Bearer")], 405: [("Allow", "GET, POST")],
                       503: [("Retry-After", "2")]}.get(status, [])
        body = text.encode()
        start_response(f"{status} {HTTPStatus(status).phrase}", headers + [
            ("Content-Type", kind), ("Content-Length", str(len(body))), ("Tidemark-Wire", "1"), ("Cache-Control", "no-store")])
        return [body]

    def answer(self, environ):
        account, method = self.account(environ), environ["REQUEST_METHOD"]
        try:
            # PATH_INFO is decoded, so that a%2Fb would be a/b: this needs the target as it came (uWSGI, mod_wsgi; gunicorn).
            target = urlsplit(environ.get("REQUEST_URI") or environ["RAW_URI"])
            query = {name: values[-1] for name, values in parse_qs(target.query).items()}
            root, version, collection = [unquote(name, errors="strict") for name in target.path.split("/", 2)]
        except ValueError:
            raise Problem(404, "no-such-path", "the path must be /v1/COLLECTION, and UTF-8") from None
        if (root, version) != ("", "v1") or "/" in target.path[4:]:
            raise Problem(404, "no-such-path", "this server has /v1/ and /v1/COLLECTION")
        if method != "GET" and (method != "POST" or not collection):
            raise Problem(405, "method-not-allowed", f"this path has no method {method}")
        if not collection:
            return self.collections(account, query)
        if not named(collection):
            raise Problem(400, "malformed-target", f"a collection has a name of at most {NAME} bytes of JSON")
        return self.exchange(account, collection, query, self.edits(environ) if method == "POST" else None)

    def account(self, environ):
        scheme, _, token = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
        with self.store.transaction(writes=False) as database:
            row = database.execute("SELECT account FROM token WHERE hash = ?", (hashed(token.strip()),)).fetchone()
        if scheme.lower() != "bearer" or row is None:
            raise Problem(401, "not-authorised", "the token is missing or unknown; sign in again")
        return row[0]

    def edits(self, environ):
        length = environ.get("CONTENT_LENGTH") or ""
        if "HTTP_TRANSFER_ENCODING" in environ or not re.fullmatch("[0-9]{1,18}", length):
            raise Problem(411, "length-required", "a POST needs a Content-Length")
        if environ.get("HTTP_CONTENT_ENCODING", "identity") != "identity":
            raise Problem(415, "unsupported-encoding", "send the body again without compression")
        if int(length) > BODY:
            raise Problem(413, "body-too-large", f"a body may have {BODY} bytes; send fewer edits at once")
        try:
            edits = parse(environ["wsgi.input"].read(int(length)).decode())["edits"]
            if not isinstance(edits, list):
                raise TypeError("it is not an array")
        except OSError:
            raise Problem(408, "request-timeout", "the body did not come in time") from None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise Problem(400, "malformed-body", f"the body must be an object with an array “edits”: {error}") from None
        if len(edits) > EDITS:
            raise Problem(413, "too-many-edits", f"a body may have {EDITS} edits")
        return edits

    def exchange(self, account, collection, query, edits):
        limit = query.get("limit", str(ROWS))
        if not re.fullmatch("0*[1-9][0-9]{0,8}", limit):
            raise Problem(400, "malformed-target", "limit must be a whole number above 0")
        with self.store.transaction(writes=edits is not None) as database:
            feed = Feed(database, account, collection, None if edits is None else self.store.lock)
            if "seen" in query:  # Nothing is read from it, and it is judged first (W8).
                feed.judged(query["seen"])
            position = feed.judged(query["max_updated_at"]) if "max_updated_at" in query else 0
            results = "" if edits is None else f'"results":[{",".join([feed.result(edit) for edit in edits])}],'
            return "{" + results + feed.page(position, min(int(limit), ROWS))

    def collections(self, account, query):
        if "watch" in query:
            raise Problem(404, "no-such-path", "this server has no change notifications")
        with self.store.transaction(writes=False) as database:
            rows = database.execute("""SELECT collection, (SELECT count(data) FROM record WHERE account = feed.account AND
                                       collection = feed.collection) FROM feed WHERE account = ?""", (account,)).fetchall()
            listed = [(name, Feed(database, account, json.loads(name)), count) for name, count in rows]
            epoch = database.execute("SELECT epoch FROM history").fetchone()[0]
        texts = [f'{{"name":{name},"max_updated_at":"{feed.cursor(feed.newest)}","count":{count}}}'
                 for name, feed, count in listed]
        return (f'{{"wire":1,"level":"minimal","collections":[{",".join(texts)}],"more":false,'
                f'"epoch":"{epoch}","account":{quote(account)}}}')


def hashed(token):
    return hashlib.sha256(token.encode()).hexdigest()


# For development; README.md has a real server.

class Server(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads, request_queue_size = True, 128

    def handle_error(self, request, client_address):
        print(f"{client_address[0]}: {sys.exc_info()[1]!r}", file=sys.stderr)


class Handler(wsgiref.simple_server.WSGIRequestHandler):
    timeout = SILENCE

    def handle(self):
        timer = threading.Timer(DEADLINE, self.connection.shutdown, [socket.SHUT_RDWR])
        timer.daemon = True
        timer.start()
        try:
            super().handle()
            # Reads a body that was refused: otherwise the connection is reset, and the answer may be lost.
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(2)
            while self.connection.recv(1 << 16):
                pass
        except OSError:
            pass
        finally:
            timer.cancel()

    def get_environ(self):
        return {**super().get_environ(), "REQUEST_URI": self.path}

    def send_error(self, code, message=None, explain=None):
        problem = Problem(code, "malformed-head", message or HTTPStatus(code).phrase)
        self.close_connection = True
        self.wfile.write(f"HTTP/1.0 {code} {HTTPStatus(code).phrase}\r\nContent-Type: application/problem+json\r\n"
                         f"Tidemark-Wire: 1\r\nConnection: close\r\n\r\n{problem.text}".encode())


def main(store):
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("command", choices=["serve", "token", "new-epoch"])
    options.add_argument("account", nargs="?", default="")
    options.add_argument("--listen", default="127.0.0.1:8080")
    options = options.parse_args()
    if options.command == "token" and not options.account:
        raise SystemExit("server.py token ACCOUNT: the account is missing")
    with store.transaction(writes=True) as database:
        if options.command == "new-epoch" or not database.execute("SELECT epoch FROM history").fetchone():
            database.execute("DELETE FROM history")
            database.execute("INSERT INTO history VALUES (?)", (secrets.token_hex(4),))
        if options.command == "token":
            print(token := secrets.token_urlsafe(24))
            database.execute("INSERT INTO token VALUES (?, ?)", (hashed(token), options.account))
    if options.command == "serve":
        host, _, port = options.listen.rpartition(":")
        server = wsgiref.simple_server.make_server(host, int(port), Application(store), Server, Handler)
        print(f"listening on http://{host}:{server.server_port}/v1", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main(SQLiteStore(os.environ.get("TIDEMARK_DATABASE", "tidemark.db")))
