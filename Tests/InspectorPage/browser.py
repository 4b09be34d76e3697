"""A headless Chromium, driven by the DevTools protocol with Python's standard library alone.

$CHROMIUM is the browser; otherwise `chromium`, `google-chrome` or `chrome` is searched.
"""
import base64
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse

DEADLINE = 30


class WebSocket:
    """A client of one WebSocket (RFC 6455): text messages, without extensions."""

    def __init__(self, url):
        place = urllib.parse.urlsplit(url)
        self.socket = socket.create_connection((place.hostname, place.port), DEADLINE)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.stream = self.socket.makefile("rb")
        while self.stream.readline() not in (b"\r\n", b""):
            pass

    def send(self, text, opcode=1):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        head = bytes([0x80 | opcode]) + (bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size) if size < 65536 else b"\xff" + struct.pack(">Q", size))
        repeated = (mask * (size // 4 + 1))[:size]
        masked = (int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")).to_bytes(size, "big") if size else b""
        self.socket.sendall(head + mask + masked)

    def receive(self):
        """The next message; raises TimeoutError after the deadline."""
        parts = []
        while True:
            first, second = self.stream.read(2)
            size = second & 0x7F
            if size == 126:
                size = struct.unpack(">H", self.stream.read(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self.stream.read(8))[0]
            data, opcode = self.stream.read(size), first & 0xF
            if opcode == 9:
                self.send(data.decode(), 10)
            elif opcode in (0, 1):
                parts.append(data)
                if first & 0x80:
                    return b"".join(parts).decode()
            elif opcode == 8:
                raise ConnectionError("the browser closed the connection")


class Browser:
    """A headless Chromium with a new profile."""

    def __init__(self):
        name = os.environ.get("CHROMIUM") or next((n for n in ("chromium", "google-chrome", "chrome") if shutil.which(n)), None)
        if not name:
            sys.exit("Chromium is missing: apt-get install chromium, or set CHROMIUM to its path.")
        self.folder = tempfile.mkdtemp(prefix="inspector-test-")
        flags = ["--headless=new", "--remote-debugging-port=0", f"--user-data-dir={self.folder}", "--no-first-run", "--disable-gpu", "--disable-background-networking",
                 "--disable-component-update", "--enable-precise-memory-info", "--disable-dev-shm-usage", *(["--no-sandbox"] if os.geteuid() == 0 else []), "about:blank"]
        self.process = subprocess.Popen([name, *flags], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = pathlib.Path(self.folder) / "DevToolsActivePort"
        end = time.monotonic() + DEADLINE
        while not (port.exists() and "\n" in port.read_text()):
            if time.monotonic() > end or self.process.poll() is not None:
                sys.exit("Chromium did not start.")
            time.sleep(0.05)
        number, path = port.read_text().split()
        self.socket = WebSocket(f"ws://127.0.0.1:{number}{path}")
        self.count, self.events = 0, {}

    def call(self, method, session=None, **parameters):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters, **({"sessionId": session} if session else {})}))
        while True:
            message = json.loads(self.socket.receive())
            if message.get("id") == self.count:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.setdefault(message.get("sessionId"), []).append(message)

    def close(self):
        try:
            self.call("Browser.close")
        except (OSError, ConnectionError, ValueError):
            self.process.terminate()
        self.process.wait(DEADLINE)
        shutil.rmtree(self.folder, ignore_errors=True)


class Page:
    """A tab of the browser, with the errors and requests that it caused."""

    def __init__(self, browser, url, width=1280, height=860, dark=False, still=False, scale=1):
        self.browser = browser
        context = browser.call("Target.createBrowserContext")["browserContextId"]
        self.target = browser.call("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Performance"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                                                          {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}])
        self.call("Page.addScriptToEvaluateOnNewDocument", source="window.violations = []; addEventListener('securitypolicyviolation', (e) => violations.push(e.violatedDirective), true);"
                  "new MutationObserver((_, self) => { if (!document.querySelector('#view-now > *')) return; self.disconnect();"
                  "requestAnimationFrame(() => requestAnimationFrame(() => { window.painted = performance.now(); })); }).observe(document, {childList: true, subtree: true});")
        self.url = url
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && document.querySelectorAll('#tabs button').length > 0")

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def value(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails'].get('exception', {}).get('description')}")
        return result["result"].get("value")

    def wait(self, script):
        """Waits until the script is true, at most until the deadline."""
        end = time.monotonic() + DEADLINE
        while not self.value(script):
            if time.monotonic() > end:
                news = self.value("document.querySelector('#news')?.innerText")
                raise AssertionError(f"not true within {DEADLINE} s: {script}; the page says: {news}")
            time.sleep(0.02)

    def press(self, key):
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        codes = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowRight": 39, "End": 35, "Home": 36}
        common = {"key": key, "windowsVirtualKeyCode": codes.get(key, ord(key[0].upper()))}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def click(self, selector, text=None):
        """Clicks the first visible element of a selector, with a text in it."""
        self.value(f"""(() => {{ const all = [...document.querySelectorAll({json.dumps(selector)})].filter((e) => e.getClientRects().length);
            const found = all.find((e) => {json.dumps(text)} === null || e.textContent.includes({json.dumps(text)}));
            if (!found) throw new Error("no such element"); found.click(); }})()""")

    def text(self, selector="body"):
        return self.value(f"document.querySelector({json.dumps(selector)}).innerText")

    def faults(self):
        """Errors of the console, exceptions, and violations of the policy."""
        faults = [f"policy: {directive}" for directive in self.value("window.violations")]
        for event in self.browser.events.get(self.session, []):
            parameters = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                faults.append(f"exception: {parameters['exceptionDetails'].get('exception', {}).get('description')}")
            elif event["method"] == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                faults.append(f"console: {parameters['args']}")
            elif event["method"] == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                faults.append(f"log: {parameters['entry']['text']}")
        return faults

    def requests(self):
        urls = [event["params"]["request"]["url"] for event in self.browser.events.get(self.session, []) if event["method"] == "Network.requestWillBeSent"]
        return [url for url in urls if url.split("#")[0] != self.url.split("#")[0] and not url.startswith("data:")]

    def picture(self, path):
        time.sleep(0.3)
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
