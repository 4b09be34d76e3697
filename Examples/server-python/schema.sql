-- The tables and the lock of server_postgres.py. A feed is a collection of an account, named by their JSON: ["ann", "notes"].

SELECT pg_advisory_xact_lock(0);  -- two servers may start at the same time

CREATE TABLE IF NOT EXISTS history (epoch text NOT NULL);

CREATE TABLE IF NOT EXISTS token (hash text PRIMARY KEY, account text NOT NULL);

-- `data` is NULL for a tombstone. `text` keeps it as it is; `jsonb` would sort the members and respell numbers.
CREATE TABLE IF NOT EXISTS record (feed text, pk text, version bigint, data text,
    PRIMARY KEY (feed, pk), UNIQUE (feed, version));

-- The answer to each edit, in the transaction of its row (W4).
CREATE TABLE IF NOT EXISTS answer (feed text, request_id text, edit text, result text, PRIMARY KEY (feed, request_id));

-- The lock (W3). A sequence is not enough: versions 7 and 8 can be assigned in this order, and 8 commits first; a client that
-- then reads up to 8 never sees 7. So a transaction that writes takes the lock of the feed before it reads anything, and has
-- it until its commit. The lock is advisory: every other program that writes records has to take it, too, and to assign a
-- version above all others of the feed.
CREATE OR REPLACE FUNCTION lock_feed(feed text) RETURNS void LANGUAGE sql AS $$
    SELECT pg_advisory_xact_lock(hashtextextended(feed, 0));
$$;
