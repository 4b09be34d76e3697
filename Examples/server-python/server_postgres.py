#!/usr/bin/env python3
"""The server of server.py on PostgreSQL, with the same commands. TIDEMARK_DATABASE has the address of the database.

pip install 'psycopg[binary]'
"""
import contextlib, os, pathlib

import psycopg

from server import main

SETTINGS = "-c lock_timeout=20s -c statement_timeout=60s -c idle_in_transaction_session_timeout=60s"


class PostgresStore:
    def __init__(self, address):
        self.address = address
        with psycopg.connect(address) as connection:
            connection.execute(pathlib.Path(__file__).with_name("schema.sql").read_text())

    @contextlib.contextmanager
    def transaction(self, lock=None):
        """Runs statements, and commits all or none. A writer names a lock, and waits for the commit of its holder (W3)."""
        with psycopg.connect(self.address, options=SETTINGS) as connection:
            connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
            if lock:
                connection.execute("SELECT lock_feed(%s)", [lock])
            yield lambda statement, values=(): connection.execute(statement.replace("?", "%s"), values)


if __name__ == "__main__":
    main(PostgresStore(os.environ.get("TIDEMARK_DATABASE", "postgresql:///tidemark")))
