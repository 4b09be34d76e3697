#!/usr/bin/env bash
# Checks the servers: `tidemark conform`, and a story of two devices that are offline, lose answers and restore a backup.
# Everything is in a temporary folder, on free ports of 127.0.0.1, and is stopped at the end.
# usage: ./check.sh [sqlite|postgresql]…     default: both
#
# TIDEMARK: the tool, default `tidemark`. PYTHON: the Python, default `python3`; for PostgreSQL it needs psycopg.
# SEEDS: those of devices.py, default 1..2.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tidemark=${TIDEMARK:-tidemark} python=${PYTHON:-python3} seeds=${SEEDS:-1..2}
export PYTHONDONTWRITEBYTECODE=1
folder=$(mktemp -d)
cd "$folder"
cluster='' lossy_server=''

end() {
    for process in $(cat pid 2>/dev/null) $lossy_server; do { kill -9 "$process" && wait "$process"; } 2>/dev/null || true; done
    if [ -n "$cluster" ]; then exec {input}>&- && wait "$cluster" || true; fi
    rm -rf "$folder"
}
trap end EXIT

fail() {
    echo "check: $*" | cut -c 1-1000 >&2
    tail -n 5 "$folder"/*.log >&2 || true
    exit 1
}

run() { "$python" "$here/$program" "$@"; }

# Starts the server, the first time on a free port, and waits until it listens.
start() {
    : >listening
    "$python" "$here/$program" serve "127.0.0.1:${port:-0}" >listening 2>>"$program.log" &
    echo $! >pid
    for _ in $(seq 200); do
        if grep -q listening listening; then
            port=$(sed 's/.*:\([0-9]*\).*/\1/' listening) url=$(sed 's/listening on //' listening)
            return
        fi
        sleep 0.05
    done
    fail "$program does not listen"
}

# Kills the server as a crash would: nothing is closed, nothing is finished.
crash() {
    kill -9 "$(cat pid)"
    { wait "$(cat pid)" || true; } 2>/dev/null
    rm pid
}

tool() { # DEVICE COMMAND ARGUMENT…
    local device=$1 command=$2
    shift 2
    "$tidemark" "$command" --store "$device.db" "$@" >>tool.log 2>&1
}

post() { # BODY
    curl -sS -H "Authorization: Bearer $token" --data-binary "$1" "$url/notes" | sed 's/,"items":.*//'
}

# Starts a proxy that drops every second answer of 200 to a POST, beginning with the first.
proxy() {
    "$python" -c '
import socket, sys
listener, lost = socket.create_server(("127.0.0.1", 0)), 0
print(listener.getsockname()[1], flush=True)
while True:
    client, _ = listener.accept()
    request = b""
    while b"\r\n\r\n" not in request:
        request += client.recv(65536)
    head, _, body = request.partition(b"\r\n\r\n")
    length = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    while length and len(body) < int(length[0]):
        body += client.recv(65536)
    answer = b""
    try:
        server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        server.sendall(head + b"\r\n\r\n" + body)
        while piece := server.recv(65536):
            answer += piece
        server.close()
    except OSError:
        pass
    if request.startswith(b"POST") and b" 200 " in answer[:20]:
        lost += 1
    if not request.startswith(b"POST") or b" 200 " not in answer[:20] or lost % 2 == 0:
        client.sendall(answer)
    client.close()
' "$port" >proxy.out 2>>proxy.log &
    lossy_server=$!
    until [ -s proxy.out ]; do sleep 0.05; done
    lossy=http://127.0.0.1:$(cat proxy.out)/v1
}

add() { # DEVICE N: adds to the counter
    local now
    now=$("$tidemark" get --store "$1.db" notes price | sed 's/.*"count":\([0-9]*\).*/\1/')
    tool "$1" edit notes price /count "$((now + $2))"
}

# Syncs both devices until they and the server agree.
agree() {
    for device in phone laptop phone; do tool "$device" sync --wait notes || fail "$1: $device: sync ended with $?"; done
    for device in phone laptop; do "$tidemark" export --store "$device.db" notes | LC_ALL=C sort >"$device.ndjson"; done
    tool fresh init --remote "$url" --token "$token" && tool fresh sync notes || fail "$1: a new device can't sync"
    "$tidemark" export --store fresh.db notes | LC_ALL=C sort >fresh.ndjson
    rm fresh.db*
    cmp phone.ndjson laptop.ndjson && cmp phone.ndjson fresh.ndjson || fail "$1: the devices differ"
    echo "  $1: $(wc -l <phone.ndjson) records, equal on all devices"
}

is() { # NAME PK EXPECTED
    local found
    found=$("$tidemark" get --store laptop.db notes "$2" 2>/dev/null || echo none)
    [ "$found" = "$3" ] || fail "$1: $2 is $found, not $3"
}

story() {
    echo "$program"
    rm -f ./*.db*
    port=''
    token=$(run token ann) other=$(run token bob)
    start
    cat >stop <<'END'
old=$(cat pid)
kill -9 "$old"
while kill -0 "$old" 2>/dev/null; do sleep 0.01; done
END
    cat >serve <<END
"$python" "$here/$program" serve "127.0.0.1:$port" >/dev/null 2>>restart.log &
echo \$! >pid
END
    echo "'$python' '$here/$program' new-epoch" >epoch
    status=0
    { "$tidemark" conform "$url" --token "$token" --other-token "$other" --restart 'sh ./stop; sh ./serve' \
        --backup 'sh ./backup' --restore 'sh ./stop; sh ./restore && sh ./epoch && sh ./serve' >conform.log 2>&1; } 2>/dev/null || status=$?
    [ "$status" -eq 0 ] || fail "conform: $(grep -v '^kept\|^ ' conform.log)"
    sed -n 's/^SKIPPED: /  conform skipped: /p; s/^\([0-9]* of \)/  conform: \1/p' conform.log

    for device in phone laptop; do tool "$device" init --remote "$url" --token "$token" --rules rules.json; done
    tool phone import --pk id notes data.json
    tool phone create notes price '{"amount":1.10,"count":1,"big":12345678901234567890}'
    for pk in both left right; do tool phone create notes "$pk" '{"a":1,"b":1}'; done
    agree "import"

    crash
    tool phone edit notes both /a 2.50
    tool laptop edit notes both /b 3.00
    tool phone edit notes price /amount 1.20
    tool laptop edit notes price /amount 1.30
    tool phone delete notes left
    tool laptop edit notes left /a 7
    tool phone edit notes right /a 7
    tool laptop delete notes right
    tool phone create notes 'a/b %2F é' '{"from":"phone"}'
    tool laptop create notes new '{"from":"laptop"}'
    ! tool phone sync notes || fail "a sync without a server succeeded"
    start
    agree "edits without a network"
    is merged both '{"a":2.50,"b":3.00}'
    is "edit wins over delete" left '{"a":7,"b":1}'
    is "edit wins over delete" right '{"a":7,"b":1}'

    # The answers of three POSTs are lost after the server has applied them; it is killed, and the devices edit on.
    proxy
    tool phone init --remote "$lossy"
    tool phone import --pk id notes more.json
    for round in 1 2 3; do
        add phone 1
        add laptop 10
        ! tool phone sync notes || fail "the answer was not lost"
        crash
        tool phone edit notes both /last "$round"
        start
        tool laptop sync notes || fail "laptop: sync ended with $?"
    done
    { kill "$lossy_server" && wait "$lossy_server" || true; } 2>/dev/null
    lossy_server=''
    tool phone init --remote "$url"
    agree "lost answers of a server that was killed"
    is "a counter" price '{"amount":1.30,"count":34,"big":12345678901234567890}'

    # Equal JSON under the same request_id, after a crash, is answered from the table (W4).
    local edit='{"edits":[{"request_id":"once","pk":"once","sync_state":"CREATED","updated_at":null,
        "edited_data":[{"op":"add","path":"","value":{"n":1.0}}]}]}'
    first=$(post "$edit")
    crash
    start
    again=$(post "${edit/1.0/10e-1}")
    [ "$first" = "$again" ] && [[ $again == *'"n":1.0'* ]] || fail "W4: $first; then: $again"
    agree "an edit that is sent again after a crash"

    # A record that is nested too deeply is refused alone, with 422 (W5).
    local deep
    deep=$(printf '{"a":%.0s' $(seq 250))1$(printf '}%.0s' $(seq 250))
    again=$(post '{"edits":[{"request_id":"deep","pk":"deep","sync_state":"CREATED",
        "edited_data":[{"op":"add","path":"","value":'"$deep"'}]}, {"request_id":"flat","pk":"flat","sync_state":"CREATED",
        "edited_data":[{"op":"add","path":"","value":{}}]}]}')
    [[ $again == *'"pk":"deep"'*'"status":422'*'"pk":"flat"'*'"error":null'* ]] || fail "W5: $again"

    # Another account's token: nothing is mixed (exit 5).
    cp phone.db stranger.db
    tool stranger init --token "$other"
    tool stranger create notes stranger '{}'
    status=0
    tool stranger sync notes || status=$?
    [ "$status" -eq 5 ] || fail "a sync with the token of another account ended with $status, not 5"
    [[ $(curl -sS -H "Authorization: Bearer $other" "$url/notes") == *'"items":[]'* ]] || fail "the accounts are mixed"

    crash
    sh ./backup
    start
    tool phone edit notes both /a 99
    tool phone create notes lost '{"n":1}'
    agree "after the backup"
    crash
    sh ./restore
    sh ./epoch
    start
    tool phone sync --wait notes || fail "after the restore: sync ended with $?"
    tool laptop sync --wait notes || fail "after the restore: sync ended with $?"
    tool phone restore --all server-rolled-back || fail "nothing was restored from the journal"
    agree "a restored backup"
    is "sent again" both '{"a":99,"b":3.00,"last":3}'
    is "sent again" lost '{"n":1}'
    crash
    "$python" "$here/devices.py" "$tidemark" "$here/$program" $(seq "${seeds%..*}" "${seeds#*..}") || fail "devices.py failed"
    ! grep -n Traceback "$program.log" devices.log restart.log || fail "the server failed"
}

echo '{"collections":{"notes":{"fields":{"/count":"sum"}}}}' >rules.json
"$python" -c 'import json; print(json.dumps([{"id": f"{n:05}", "text": "x" * 400} for n in range(250)]))' >more.json
"$python" -c 'import json; print(json.dumps([{"id": n, "title": f"é {n}", "tags": ["a", n], "ratio": n / 7} for n in
    range(300)]))' >data.json

check_sqlite() {
    program=server.py
    export TIDEMARK_DATABASE=$folder/server.sqlite
    cat >backup <<END
"$python" -c 'import sqlite3; sqlite3.connect("server.sqlite").backup(sqlite3.connect("backup.sqlite"))'
END
    echo 'rm server.sqlite*; cp backup.sqlite server.sqlite' >restore
    story
}

check_postgresql() {
    program=server_postgres.py
    "$python" -c 'import psycopg' || fail "$python has no psycopg: pip install 'psycopg[binary]'"
    PATH=$PATH:$("$here/../../scripts/postgres" --where)
    mkfifo input
    "$here/../../scripts/postgres" <input >address 2>postgres.log & # It ends with its input.
    cluster=$!
    exec {input}>input
    until [ -s address ]; do kill -0 "$cluster" || fail "PostgreSQL does not start" && sleep 0.05; done
    TIDEMARK_DATABASE=$(cat address)
    export TIDEMARK_DATABASE
    echo 'pg_dump --clean --if-exists "$TIDEMARK_DATABASE" >backup.sql' >backup
    echo 'psql -qX -v ON_ERROR_STOP=1 "$TIDEMARK_DATABASE" -f backup.sql >psql.log' >restore
    story
}

if [ "$#" -eq 0 ]; then set -- sqlite postgresql; fi
for database; do
    case $database in
    sqlite | postgresql) "check_$database" ;;
    *) fail "there is no database “$database”; there are sqlite and postgresql" ;;
    esac
done
