-- The tables of server_postgres.py. Names (collection, pk, id) are kept as their JSON text, such as "42" with the quotes:
-- a name may be any string, and `text` can't have U+0000. They are compared by code point: COLLATE "C".

CREATE TABLE IF NOT EXISTS history (epoch text NOT NULL);

CREATE TABLE IF NOT EXISTS token (hash text PRIMARY KEY, account text NOT NULL);

-- One row for each collection of an account: the lock of its writers, and its newest version.
CREATE TABLE IF NOT EXISTS feed (
    account text COLLATE "C", collection text COLLATE "C",
    newest bigint NOT NULL,
    PRIMARY KEY (account, collection));

-- `data` is NULL for a tombstone. `json` keeps the text; `jsonb` would sort the members and respell the numbers.
CREATE TABLE IF NOT EXISTS record (
    account text COLLATE "C", collection text COLLATE "C", pk text COLLATE "C",
    version bigint NOT NULL,
    data json,
    PRIMARY KEY (account, collection, pk),
    UNIQUE (account, collection, version));

-- The answer to each edit, in the transaction of its row (W4).
CREATE TABLE IF NOT EXISTS request (
    account text COLLATE "C", collection text COLLATE "C", id text COLLATE "C",
    digest text NOT NULL,
    result text NOT NULL,
    PRIMARY KEY (account, collection, id));

-- The lock and the version (W3). A sequence is not enough: versions 7 and 8 can be assigned in this order, and 8 commits
-- first; a client that then reads up to 8 never sees 7. Here the row of `feed` stays locked from before the version is
-- assigned until the commit, so that versions become visible in their order:
--
--     BEGIN;
--     SELECT newest FROM feed WHERE account = … AND collection = … FOR UPDATE;   -- first: waits for the other writer
--     …                                                                        -- read the record, decide
--     UPDATE record SET data = …, version = next_version(account, collection) WHERE …;
--     COMMIT;
--
-- Every other program that writes records has to do the same.
CREATE OR REPLACE FUNCTION next_version(of_account text, of_collection text) RETURNS bigint LANGUAGE sql AS $$
    UPDATE feed SET newest = greatest(newest + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
    WHERE account = of_account AND collection = of_collection
    RETURNING newest;
$$;
