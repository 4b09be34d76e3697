#!/usr/bin/env python3
"""Two devices of one account, by seed: edits of real records, merges, deletes, lost requests and answers, and SIGKILL of a
device in the middle of a sync, or of the server. In the end all devices are equal, and each value that a user wrote is
there, or was replaced by a user, or is in a journal. check.sh runs it.

usage: devices.py TIDEMARK SERVER SEED…
"""
import collections, json, os, random, re, signal, socket, subprocess, sys, tempfile, threading, time

RECORDS = [json.loads(text) for text in (
    '{"avatar":"images/user_1.png","age":21,"admin":true,"name":"Леонард Никитин","company":"Jamconik",'
    '"friends":[{"id":1,"name":"Артемий Попов"},{"id":2,"name":"Адам Иванов"}],"field":"field value"}',
    '{"type":"PushEvent","actor":{"login":"jathanism","url":"https://api.github.com/users/jathanism","id":138052},'
    '"repo":{"id":6357414,"name":"jathanism/trigger"},"public":true,"payload":{"distinct_size":1,'
    '"ref":"refs/heads/issue-22","author":{"name":"jathanism"}}}',
    '{"title":"Oat milk","price":1.25,"size":{"grams":100,"parts":{"a":1,"b":2}},"code":123456789012345678901234567890,'
    '"tags":["home"]}')]
FATES = ["pass"] * 10 + ["request lost", "answer lost", "answer cut", "server killed", "device killed: request",
                         "device killed: answer", "device killed: applying", "device killed: applying"]
OFFLINE, SUCCESS = 4, 0  # of `tidemark sync`


def leaves(value, path=""):
    """Returns the values that are not objects, with their paths."""
    if not isinstance(value, dict):
        return [(path, value)]
    return [leaf for name, member in value.items() for leaf in leaves(member, f"{path}/{name}")]


def marks(text):
    """Returns the numbers by which values are told apart."""
    return set(re.findall(r"\b9[0-9]{8}\b", text))


class Story:
    def __init__(self, tidemark, server, seed):
        self.tidemark, self.program, self.random = tidemark, [sys.executable, server], random.Random(seed)
        self.folder, self.is_reliable, self.counts = tempfile.TemporaryDirectory(), True, collections.Counter()
        self.written, self.replaced, self.last, self.process = set(), set(), 900_000_000, None
        self.token = subprocess.check_output([*self.program, "token", f"seed-{seed}"], text=True).strip()
        self.port, self.proxy = 0, socket.create_server(("127.0.0.1", 0))
        self.start()
        threading.Thread(target=self.serve, daemon=True).start()
        for device in ("phone", "laptop"):
            self.tool(device, "init", "--remote", f"http://127.0.0.1:{self.proxy.getsockname()[1]}/v1", "--token", self.token)
            if device == "phone":
                self.edit(device)
            self.tool(device, "sync", "notes")

    # The server, and the network

    def start(self):
        self.server = subprocess.Popen([*self.program, "serve", f"127.0.0.1:{self.port}"], text=True,
                                       stdout=subprocess.PIPE, stderr=open("devices.log", "a"))
        self.port = int(re.search(r":(\d+)/", self.server.stdout.readline())[1])

    def crash(self):
        self.server.kill()
        self.server.wait()
        self.server.stdout.close()

    def serve(self):
        while True:
            client = self.proxy.accept()[0]
            with client:
                try:
                    self.carry(client)
                except OSError:  # the device was killed
                    pass

    def carry(self, client):
        """Carries a request to the server and the answer to the device, unless fate prevents it."""
        fate = "pass" if self.is_reliable else self.random.choice(FATES)
        device = self.process
        self.counts[fate] += 1
        request = b""
        while b"\r\n\r\n" not in request or len(request) < length:
            piece = client.recv(1 << 16)
            if not piece:
                return
            request += piece
            head, _, _ = request.partition(b"\r\n\r\n")
            found = re.search(rb"(?i)content-length: *(\d+)", head)
            length = len(head) + 4 + int(found[1] if found else 0)
        if fate == "device killed: request":
            device.kill()
        if fate == "request lost":
            return
        with socket.create_connection(("127.0.0.1", self.port)) as server:
            server.sendall(request)
            if fate == "server killed":
                time.sleep(self.random.random() / 50)
                self.crash()
                return self.start()
            answer = b"".join(iter(lambda: server.recv(1 << 16), b""))
        if fate == "device killed: answer":
            device.kill()
        if fate != "answer lost":
            client.sendall(answer[:len(answer) // 2] if fate == "answer cut" else answer)
        if fate == "device killed: applying":
            time.sleep(self.random.random() / 50)
            device.kill()

    # What a device does

    def tool(self, device, command, *arguments, may_fail=False):
        store = os.path.join(self.folder.name, f"{device}.db")
        self.process = subprocess.Popen([self.tidemark, command, "--store", store, *arguments], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, errors = self.process.communicate(timeout=60)
        if self.process.returncode and not may_fail:
            raise SystemExit(f"{device}: {command} {arguments} ended with {self.process.returncode}: {errors}")
        return out

    def sync(self, device):
        self.tool(device, "sync", "notes", may_fail=True)
        if self.process.returncode not in (SUCCESS, OFFLINE, -signal.SIGKILL):
            raise SystemExit(f"{device}: sync ended with {self.process.returncode}")

    def views(self, device):
        rows = map(json.loads, self.tool(device, "list", "notes", "--json").splitlines())
        return {row["pk"]: row["view"] for row in rows if row["view"] is not None}

    def value(self, former):
        self.last += 1
        return f"Value {self.last} “é”" if isinstance(former, (str, bool)) else self.last

    def edit(self, device):
        views, choice = self.views(device) if self.written else {}, self.random.random()
        pk = self.random.choice(sorted(views) if views and choice < 0.8 else ["r1", "r2", "r3", "r4", "r5"])
        if pk not in views:
            content = json.loads(json.dumps(self.random.choice(RECORDS)))
            content["made"] = self.value("")
            self.written |= marks(content["made"])
            return self.tool(device, "create", "notes", pk, json.dumps(content))
        path, former = self.random.choice([leaf for leaf in leaves(views[pk]) if not isinstance(leaf[1], list)])
        if choice < 0.08:
            self.replaced |= marks(json.dumps(views[pk]))
            return self.tool(device, "delete", "notes", pk)
        self.replaced |= marks(json.dumps(former))
        if choice < 0.14:
            return self.tool(device, "edit", "notes", pk, "--remove", path)
        new = json.dumps(self.value(former), ensure_ascii=False)
        self.written |= marks(new)
        if choice < 0.24:
            path = f"/added{self.random.randrange(3)}"
            self.replaced |= marks(json.dumps(views[pk].get(path[1:])))
        self.tool(device, "edit", "notes", pk, path, new)

    # The story

    def play(self, steps=50):
        self.is_reliable = False
        for _ in range(steps):
            device = self.random.choice(["phone", "laptop"])
            self.sync(device) if self.random.random() < 0.4 else self.edit(device)
        self.is_reliable = True
        for device in ("phone", "laptop") * 3:
            self.tool(device, "sync", "--wait", "notes")
        self.tool("fresh", "init", "--remote", f"http://127.0.0.1:{self.port}/v1", "--token", self.token)
        self.tool("fresh", "sync", "notes")
        devices = ("phone", "laptop", "fresh")
        exports = {device: "\n".join(sorted(self.tool(device, "export", "notes").splitlines())) for device in devices}
        journals = [self.tool(device, "journal", "notes", "--json") for device in devices]
        if len(set(exports.values())) != 1:
            raise SystemExit(f"the devices differ: {exports}")
        lost = self.written - self.replaced - marks(exports["fresh"]) - marks("".join(journals))
        if lost:
            raise SystemExit(f"lost: {lost}")
        return exports["fresh"].count("\n") + 1, sum(journal.count("\n") for journal in journals)


def main(tidemark, server, *seeds):
    total = collections.Counter()
    for seed in seeds:
        print(f"  seed {seed}: ", end="", flush=True)
        story = Story(tidemark, server, seed)
        try:
            records, journaled = story.play()
        finally:
            story.crash()
        total += story.counts
        print(f"{records} records, equal on all devices; {len(story.written)} values, {journaled} of them in journals")
        story.folder.cleanup()
    print("  " + ", ".join(f"{fate} {count}" for fate, count in sorted(total.items())))


if __name__ == "__main__":
    main(*sys.argv[1:])
