#!/usr/bin/env python3
"""The server of server.py on PostgreSQL, with the same commands. TIDEMARK_DATABASE has the address of the database.

pip install 'psycopg[binary]'
"""
import contextlib
import os
import pathlib
import queue
import threading

import psycopg
from psycopg.types.string import TextLoader

from server import main

SETTINGS = "-c lock_timeout=20s -c statement_timeout=60s -c idle_in_transaction_session_timeout=60s"
SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"  # for a reader: one state for all its statements
LOCKING = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED"  # for a writer: after it has waited, it sees the other's rows


class Database:
    """A connection that takes the statements of protocol.py."""

    def __init__(self, connection):
        self.connection = connection

    def execute(self, statement, values=()):
        return self.connection.execute(statement.replace("?", "%s"), values)


class PostgresStore:
    """At most twenty connections. The row of `feed` is the lock: see schema.sql."""
    busy, lock = psycopg.OperationalError, "FOR UPDATE"

    def __init__(self, address):
        self.address, self.idle, self.free = address, queue.LifoQueue(), threading.BoundedSemaphore(20)
        with self.transaction(writes=True) as database:
            database.execute("SELECT pg_advisory_xact_lock(1)")  # two servers may start at the same time
            database.connection.execute(pathlib.Path(__file__).with_name("schema.sql").read_text())

    def connect(self):
        connection = psycopg.connect(self.address, options=SETTINGS, autocommit=True)
        connection.adapters.register_loader("json", TextLoader)  # the text, not Python's objects
        return connection

    @contextlib.contextmanager
    def transaction(self, writes):
        with self.free:
            try:
                connection = self.idle.get_nowait()
            except queue.Empty:
                connection = self.connect()
            try:
                with connection.transaction():  # commits, or rolls back after an error
                    connection.execute(LOCKING if writes else SNAPSHOT)
                    yield Database(connection)
            finally:
                if not connection.closed:
                    self.idle.put(connection)


if __name__ == "__main__":
    main(PostgresStore(os.environ.get("TIDEMARK_DATABASE", "postgresql:///tidemark")))
