#!/usr/bin/env python3
"""Tests the inspector's page in headless Chromium; only Python's standard library is needed.

usage: scripts/inspector-test                  pages of the fixtures, and a live page of the tool ($TOOL, else the debug build)
       scripts/inspector-test PAGE.html…       the tests that hold for every page, on pages made by any program
       scripts/inspector-test --pictures DIR   writes pictures of the sample
       scripts/inspector-test --documentation  writes those that the documentation shows, with fewer colors (pngquant)

$CHROMIUM is the browser; otherwise `chromium`, `google-chrome` or `chrome` is searched. Exit status 1: a test failed.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import fixtures
from browser import DEADLINE, Browser, Page

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def assembled(data, path):
    """Writes the page with these data."""
    source = path.with_suffix(".json")
    source.write_text(json.dumps(data))
    subprocess.run([ROOT / "scripts/inspector-page", "--of", source, path], check=True)


TESTS, FOR_EVERY_PAGE, FIGURES = [], [], []


def test(words, list_=TESTS):
    def add(function):
        list_.append((words, function))
        return function
    return add


def require(condition, words):
    if not condition:
        raise AssertionError(words)


def equal(found, wanted):
    require(found == wanted, f"{found!r} instead of {wanted!r}")


# ---- Tests of every page -------------------------------------------------------------------------------------------------


@test("Every view opens without an error, a violation of the policy or a request", FOR_EVERY_PAGE)
def views(open_page):
    page = open_page()
    for number in range(1, 7):
        page.press(str(number))
        equal(page.value("document.querySelector('[role=tab][aria-selected=true]').getAttribute('aria-keyshortcuts')"), str(number))
        for _ in range(3):
            page.press("j")
        page.press("k")
    equal(page.faults(), [])
    equal(page.requests(), [])


@test("The policy allows one script, one style and no connection, by their hashes", FOR_EVERY_PAGE)
def policy(open_page):
    page = open_page()
    text = page.value("document.querySelector('meta[http-equiv=Content-Security-Policy]').content")
    for directive in ("default-src 'none'", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"):
        require(directive in text, f"{directive} is missing in {text}")
    require("unsafe" not in text and "connect-src" not in text and "http" not in text, text)
    for kind in ("script", "style"):
        require(re.search(rf"{kind}-src 'sha256-[A-Za-z0-9+/]{{43}}='(;|$)", text), text)
    equal(page.value("(() => { try { document.body.insertAdjacentHTML('beforeend', '<b>x</b>'); return 'inserted'; } catch { return 'refused'; } })()"), "refused")
    equal(page.value("fetch('data:,x').then(() => 'sent', () => 'refused')"), "refused")


@test("No view and no record scrolls sideways at a width of 360", FOR_EVERY_PAGE)
def narrow(open_page):
    page = open_page(width=360, height=740)
    width = "document.documentElement.scrollWidth <= 360 && [...document.querySelectorAll('.view, .record')].every((e) => e.scrollWidth <= e.clientWidth || !e.clientWidth)"
    for number in range(1, 7):
        page.press(str(number))
        require(page.value(width), f"view {number} is {page.value('document.documentElement.scrollWidth')} wide; " + str(page.value(
            "[...document.querySelectorAll('.view:not([hidden]) *')].filter((e) => e.getBoundingClientRect().right > 362 && !e.closest('.scroll, .json')).slice(0, 3).map((e) => e.outerHTML.slice(0, 200))")))
    page.press("2")
    for _ in range(3):
        page.press("j")
        require(page.value(width), "a record is too wide: " + str(page.value(
            "[...document.querySelectorAll('.record *')].filter((e) => e.getBoundingClientRect().right > 362 && !e.closest('.scroll, .json')).slice(0, 3).map((e) => e.outerHTML.slice(0, 200))")))


@test("Every control has a name, and every role that needs an owner has one", FOR_EVERY_PAGE)
def names(open_page):
    page = open_page()
    for number in range(1, 7):
        page.press(str(number))
        page.press("j")
        tree = page.call("Accessibility.getFullAXTree")["nodes"]
        roles = ("button", "textbox", "searchbox", "combobox", "tab", "option", "radio", "listbox", "link", "dialog")
        without = [node["role"]["value"] for node in tree if not node.get("ignored") and node.get("role", {}).get("value") in roles and not node.get("name", {}).get("value")]
        equal(without, [])
    equal(page.value("document.querySelector('#news').getAttribute('aria-live')"), "polite")


@test("The dark scheme has light text on a dark page, and the light one the reverse", FOR_EVERY_PAGE)
def schemes(open_page):
    for dark in (False, True):
        page = open_page(dark=dark)
        ground, ink = (sum(map(int, re.findall(r"\d+", page.value(f"getComputedStyle(document.body).{name}"))[:3])) for name in ("backgroundColor", "color"))
        require((ground < ink) == dark, f"background {ground}, text {ink}")


@test("Nothing moves if the user prefers reduced motion", FOR_EVERY_PAGE)
def motion(open_page):
    moving = "[...document.querySelectorAll('*')].filter((e) => getComputedStyle(e).transitionDuration !== '0s' || getComputedStyle(e).animationName !== 'none').length"
    equal(open_page(still=True).value(moving), 0)
    require(open_page().value(moving) > 0, "no transition to switch off")


# ---- Tests of the sample -------------------------------------------------------------------------------------------------


@test("Problems come first, with the cause, the help and the command")
def problems(pages):
    text = pages("sample").text("#view-now")
    for words in ("Both sides changed /title and /due.", "Decide by field", "tidemark retry --store phone.db notes 7", "The server rejected the token (401)"):
        require(words in text, words)
    require(text.upper().index("PROBLEMS") < text.upper().index("QUEUE") < text.upper().index("COLLECTIONS"), "order")


@test("The keys j and k move through rows and open the record, and / starts a search")
def keys(pages):
    page = pages("sample")
    page.press("2")
    page.press("j")
    first = page.value("document.querySelector('.row[aria-selected=true]').innerText")
    page.press("j")
    page.press("j")
    equal(page.value("document.querySelector('#list').getAttribute('aria-activedescendant')"), page.value("document.querySelector('.row[aria-selected=true]').id"))
    page.press("k")
    page.press("k")
    equal(page.value("document.querySelector('.row[aria-selected=true]').innerText"), first)
    page.press("/")
    equal(page.value("document.activeElement.id"), "search")
    for key in "eggs":
        page.press(key)
    equal(page.value("document.querySelectorAll('.row').length"), 1)
    page.press("Escape")
    equal(page.value("document.activeElement.id"), "list")
    page.press("?")
    require(page.value("document.querySelector('#help').open"), "no help")
    page.press("Escape")
    require(not page.value("document.querySelector('#help').open"), "the help is still open")
    page.press("Escape")
    require(not page.value("document.body.classList.contains('has-record')"), "the record is still open")
    equal(page.faults(), [])


@test("The arrow keys move between tabs, and End goes to the last row")
def arrows(pages):
    page = pages("sample")
    page.value("document.querySelector('#tab-now').focus()")
    page.press("ArrowRight")
    equal(page.value("document.activeElement.id"), "tab-records")
    page.value("document.querySelector('#list').focus()")
    page.press("End")
    equal(page.value("document.querySelector('.row[aria-selected=true]').getAttribute('aria-posinset')"), "1274")
    page.press("Home")
    equal(page.value("document.querySelector('.row[aria-selected=true]').getAttribute('aria-posinset')"), "1")


@test("The focus stays at its row when a record opens, and returns when it closes")
def focus(pages):
    page = pages("sample")
    page.press("5")
    for _ in range(5):
        page.press("j")
    top = "Math.round(document.activeElement.getBoundingClientRect().top) + document.activeElement.textContent"
    before = page.value(top)
    page.press("Enter")
    equal(page.value(top), before)
    page = pages("sample", width=360, height=740)
    page.press("5")
    page.press("j")
    page.press("Enter")
    equal(page.value("[document.activeElement.id, document.querySelector('.views').inert]"), ["record", True])
    page.press("Escape")
    equal(page.value("[document.activeElement.textContent, document.querySelector('.views').inert]"), ["notes/9", False])


@test("Records are filtered by text, collection, state, activity and phase")
def filters(pages):
    page = pages("sample")
    page.press("2")

    def found(**fields):
        for id_, value in {"search": "", "of-collection": "", "of-state": "", **{k.replace("_", "-"): v for k, v in fields.items()}}.items():
            page.value(f"(() => {{ const e = document.getElementById('{id_}'); e.value = {json.dumps(value)}; e.dispatchEvent(new Event('input')); }})()")
        return page.text("#found")
    equal(found(), "1,274 of 1,274")
    equal(found(of_collection="tags"), "9 of 1,274")
    equal(found(of_state="EDITED"), "5 of 1,274")
    equal(found(of_state=".held"), "1 of 1,274")
    equal(found(of_state="CREATED.uploading", of_collection="notes"), "1 of 1,274")
    equal(found(search="oat MILK"), "1 of 1,274")


@test("A record shows base, server, upload, pending and view, and marks the changes without color, too")
def record(pages):
    page = pages("sample")
    text = page.text("#record")
    for words in ("Both sides changed", "You decide.", "base", "server now", "pending", "view", '"Soy milk"', "Mill Lane 14", "escalatedToUser", "tidemark resolve"):
        require(words in text, words)
    equal(page.value("[...document.querySelectorAll('#record table[aria-label=Fields] tr.changed')].map((e) => e.querySelector('.gutter').title)"),
          ["changed on both sides", "changed on both sides", "pending"])


@test("A create shows the fields of its upload, and its later change")
def create(pages):
    page = pages("sample")
    page.press("2")
    page.click(".row", "Eggs")
    row = page.value("[...document.querySelectorAll('#record table[aria-label=Fields] tbody tr')].find((e) => e.innerText.includes('count')).innerText.split(/\\s+/).filter(Boolean)")
    equal(row[-4:], ["–", "6", "12", "12"])


@test("Numbers have the digits of the source")
def digits(pages):
    page = pages("sample")
    require("9007199254740993" in page.text("#record") and "1.10" in page.text("#record"), "rounded")
    hostile = pages("hostile")
    open_record(hostile, "numbers")
    page_text = "document.querySelector('#record details').textContent"
    hostile.value("document.querySelectorAll('#record details:not([open]) summary').forEach((e) => e.click())")
    hostile.wait("document.querySelectorAll('#record details[open] .json').length > 0")
    for digit in ("9007199254740993", "1.10", "1E400", "-0", "0.1e-7", "123456789012345678901234567890"):
        require(digit in hostile.text("#record") and digit in hostile.value(page_text), digit)


@test("The state diagram has every phase with its count, and a phase shows its events")
def states(pages):
    page = pages("sample")
    page.press("6")
    equal(page.value("document.querySelectorAll('.diagram .pill').length"), 17)
    require("SYNCD, 1,267 records" in page.value("[...document.querySelectorAll('.pill')].map((e) => e.getAttribute('aria-label')).join(';')"), "count of SYNCD")
    page.value("[...document.querySelectorAll('.pill')].find((e) => e.getAttribute('aria-label').startsWith('EDITED.idle')).focus()")
    page.press("Enter")
    require("The upload was put into a POST." in page.text("#view-states"), "no events")
    require(page.value("document.querySelectorAll('.edge.on').length") > 5, "no arrows")
    equal(page.value("document.activeElement.getAttribute('aria-pressed')"), "true")
    page.click("#view-states button.link", "show")
    equal(page.text("#found"), "2 of 1,274")


@test("Static pages have no button for an action")
def static(pages):
    page = pages("sample")
    for number in range(1, 7):
        page.press(str(number))
        equal(page.value("document.querySelectorAll('.act').length"), 0)


@test("A list that is cut says how much is missing, and has the command for all")
def cut(pages):
    page = pages("sample")
    page.press("4")
    require("6 of 14 are in this page." in page.text("#view-journal") and "tidemark journal" in page.text("#view-journal"), "no note")


@test("A store without records shows an empty page without an error")
def empty(pages):
    page = pages("empty")
    for number in range(1, 7):
        page.press(str(number))
        page.press("j")
    require("No problems" in page.value("document.body.textContent"), "no words")
    equal(page.faults(), [])


# ---- Tests of hostile contents -------------------------------------------------------------------------------------------


def open_record(page, pk):
    page.press("2")
    page.value(f"(() => {{ const e = document.getElementById('search'); e.value = {json.dumps(pk)}; e.dispatchEvent(new Event('input')); }})()")
    found = page.value(f"(() => {{ const row = [...document.querySelectorAll('.row')].find((e) => e.querySelector('bdi').textContent === {json.dumps(pk)}); row?.click(); return Boolean(row); }})()")
    require(found, f"no row {pk}")


@test("Markup and scripts in contents are shown as text, and run nothing")
def markup(pages):
    page = pages("hostile")
    for number in range(1, 7):
        page.press(str(number))
    equal(page.value("[typeof window.hurt, document.querySelectorAll('img, iframe, object, embed, #record script, .view script').length]"), ["undefined", 0])
    require("</script><script>window.hurt=1" in page.text(), "not shown")
    equal(page.faults(), [])
    equal(page.requests(), [])


@test("Controls and marks of direction are visible, and none is left in the text")
def controls(pages):
    page = pages("hostile")
    open_record(page, "bidi")
    for number in range(1, 7):
        page.press(str(number))
        left = page.value(r"(document.body.innerText + [...document.querySelectorAll('[title],[aria-label]')].map((e) => e.title + e.getAttribute('aria-label')).join('') + document.title).match(/[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/)?.length ?? 0")
        equal(left, 0)
    require("U+202E" in page.text("#record") and "U+0000" in page.text("#record"), "no marks")


@test("Every hostile record opens, and its long parts open in full")
def hostile(pages):
    page = pages("hostile")
    for pk in ("markup", "bidi", "big", "wide", "deep", "deep objects", "proto", "numbers", "broken", "marks", "slashes", "same key", "__proto__", "constructor"):
        open_record(page, pk)
        page.value("document.querySelectorAll('#record details:not([open]) summary').forEach((e) => e.click())")
        page.wait("document.querySelectorAll('#record details[open] .json').length > 0")
        equal(page.value("({}).polluted === undefined && Object.prototype.hasOwnProperty.call(Object.prototype, 'toString')"), True)
    equal(page.faults(), [])


@test("A string of 1 MB is cut at 2,000 characters, and a button shows the whole")
def big(pages):
    page = pages("hostile")
    open_record(page, "big")
    page.value("[...document.querySelectorAll('#record summary')][0].click()")
    page.wait("document.querySelectorAll('#record details[open] .json').length > 0")
    length = "document.querySelector('#record details .is-string').textContent.length"
    require(2000 <= page.value(length) < 2100, page.value(length))
    page.click("#record details .more", "whole")
    require(page.value(length) > 1_000_000, page.value(length))


@test("An object with 10,000 members is cut, and a button shows more")
def members(pages):
    page = pages("hostile")
    open_record(page, "wide")
    page.value("[...document.querySelectorAll('#record summary')][0].click()")
    page.wait("document.querySelectorAll('#record details[open] .json').length > 0")
    equal(page.value("document.querySelectorAll('#record details .line').length"), 200)
    for _ in range(3):
        page.click("#record details .more", "more lines")
    equal(page.value("document.querySelectorAll('#record details .line').length"), 10_002)
    require("m9999" in page.text("#record details") and "9999.10" in page.text("#record details"), "the last member")
    page.click("#record .more", "more fields")


@test("A text that is not JSON is shown with the place of the error")
def broken(pages):
    page = pages("hostile")
    open_record(page, "broken")
    require("not JSON at character 7" in page.text("#record"), page.text("#record")[:300])


# ---- 100,000 records -----------------------------------------------------------------------------------------------------


@test("100,000 records are read, searched and scrolled at once")
def many(pages):
    page = pages("many")
    page.wait("window.painted !== undefined")
    painted = page.value("window.painted")
    page.press("2")
    equal(page.text("#found"), "100,000 of 100,000")
    draw = page.value("(() => { const list = document.querySelector('#list'), from = performance.now(); list.scrollTop = 1500000; list.dispatchEvent(new Event('scroll')); return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done([performance.now() - from, document.querySelectorAll('.row').length])))); })()")
    require(draw[1] < 100, f"{draw[1]} rows are drawn")
    search = page.value("(() => { const e = document.getElementById('search'), from = performance.now(); e.value = 'record 99'; e.dispatchEvent(new Event('input')); const first = performance.now() - from; e.value = 'record 9999'; e.dispatchEvent(new Event('input')); return [first, performance.now() - from - first]; })()")
    open_ = page.value("(() => { const from = performance.now(); document.getElementById('tab-now').click(); document.getElementById('tab-records').click();"
                       "return new Promise((done) => requestAnimationFrame(() => { const channel = new MessageChannel(); channel.port1.onmessage = () => done(performance.now() - from); channel.port2.postMessage(0); })); })()")
    page.call("HeapProfiler.collectGarbage")
    heap = page.value("performance.memory.usedJSHeapSize")
    FIGURES.append(f"100,000 records: problems and queue are on the screen {painted:.0f} ms after the start of the load, list opened in {open_:.0f} ms, scrolled in {draw[0]:.0f} ms (two frames), "
                   f"first search {search[0]:.0f} ms, next {search[1]:.0f} ms, heap {heap / 1e6:.0f} MB")
    require(heap < 200e6, f"the heap is {heap} bytes")


# ---- A live page, over the responder of the tool --------------------------------------------------------------------------


class Demo:
    """`tidemark demo --inspect`: a phone with a conflict, and its inspector."""

    def __init__(self):
        tool = os.environ["TOOL"]
        self.process = subprocess.Popen([tool, "demo", "--inspect"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.link = self.process.stdout.readline().strip()
        require(self.link.startswith("http://127.0.0.1:"), f"{tool} printed no link")

    def close(self):
        self.process.terminate()
        self.process.wait(DEADLINE)


def live(function):
    def run(pages):
        demo = Demo()
        try:
            function(pages, demo)
        finally:
            demo.close()
    return run


@test("A link is valid once, and the token is not in the page")
@live
def session(pages, demo):
    page = pages(demo.link)
    page.wait("document.querySelectorAll('#view-now .card').length > 1")
    equal(page.value("location.hash + JSON.stringify(sessionStorage) + JSON.stringify(localStorage) + document.cookie"), "{}{}")
    equal(page.faults(), [])
    again = pages(demo.link)
    again.wait("document.querySelector('#news').textContent.length > 0")
    equal(again.value("document.querySelectorAll('#view-now .card').length"), 0)


@test("A conflict of two devices is seen, decided by field, and gone")
@live
def decide(pages, demo):
    page = pages(demo.link)
    page.wait("document.querySelectorAll('#record input[type=radio]').length === 4")
    for text in ("Milk", "Soy milk", "Oat milk", "9007199254740993"):
        require(text in page.text("#record"), f"{text} is not shown")
    save = "[...document.querySelectorAll('#record .act')].find((e) => e.textContent === 'Save the decision')"
    equal(page.value(f"{save}.disabled"), True)
    page.value("document.querySelectorAll('#record input[type=radio]')[1].click()")
    page.value("(() => { const e = document.querySelectorAll('#record .own')[1]; e.value = '\"Rice milk\"'; e.dispatchEvent(new Event('change')); })()")
    page.click("#record .act", "Save the decision")
    page.wait("!document.querySelector('#record input[type=radio]')")
    page.wait("document.querySelector('#view-now').innerText.toUpperCase().includes('NO PROBLEMS')")
    page.wait("document.querySelector('#record').innerText.includes('SYNCD')")
    page.wait("document.querySelector('#record').innerText.includes('Rice milk')")
    page.press("5")
    require("accepted" in page.text("#view-timeline"), "the timeline does not have the answer of the server")
    equal(page.faults(), [])


@test("A button makes trouble on purpose, and discarding asks first")
@live
def acts(pages, demo):
    page = pages(demo.link)
    page.wait("document.querySelectorAll('#record input[type=radio]').length === 4")
    page.click("#trouble .act", "Go offline")
    page.wait("document.querySelector('#trouble').textContent.includes('Go online')")
    for index in (1, 3):
        page.value(f"document.querySelectorAll('#record input[type=radio]')[{index}].click()")
    page.click("#record .act", "Save the decision")
    page.wait("[...document.querySelectorAll('#record .act')].some((e) => e.textContent.startsWith('Discard'))")
    page.click("#record .act", "Discard the local change")
    page.wait("[...document.querySelectorAll('#record .act')].some((e) => e.textContent.startsWith('Really discard'))")
    page.click("#record .act", "Really discard")
    page.wait("document.querySelector('#record').innerText.includes('SYNCD')")
    page.press("4")
    page.wait("document.querySelector('#view-journal').innerText.includes('resign')")
    page.click("#view-journal .act", "Restore")
    page.click("#view-journal .act", "Really restore")
    page.wait("document.querySelector('#news').innerText.includes('It is restored')")
    page.wait("document.querySelector('#record').innerText.includes('EDITED')")
    equal(page.faults(), [])


# ---- Running -------------------------------------------------------------------------------------------------------------


def pictures(browser, url, folder):
    for name, keys_, options in [
        ("now", "1", {}), ("now-dark", "1", {"dark": True}), ("records", "2jjjj", {}), ("conflicts", "3", {}), ("journal", "4", {}), ("timeline", "5", {}),
        ("states", "6jjjjjjjj", {}), ("states-dark", "6", {"dark": True}), ("phone", "1", {"width": 360, "height": 740}), ("phone-records", "2", {"width": 360, "height": 740}),
        ("phone-record", "2jjjjjjj", {"width": 360, "height": 740, "dark": True}), ("phone-states", "6", {"width": 360, "height": 740}), ("help", "?", {}),
    ]:
        page = Page(browser, url, scale=float(os.environ.get("SCALE", "1")), **options)
        for key in keys_:
            page.press(key)
        if name.startswith("states"):
            page.press("Enter")
        page.picture(pathlib.Path(folder) / f"{name}.png")
        page.close()


# The pictures of LookingInside.md.
SHOWN = {"now": "inspector", "states-dark": "inspector-states", "phone": "inspector-phone"}


def documentation(browser, url, folder):
    if not shutil.which("pngquant"):
        sys.exit("pngquant is missing: apt-get install pngquant.")
    pictures(browser, url, folder)
    for name, shown in SHOWN.items():
        path = ROOT / f"Sources/Tidemark/Tidemark.docc/{shown}.png"
        subprocess.run(["pngquant", "--force", "--strip", "--speed", "1", "--nofs", "--output", path, "256", pathlib.Path(folder) / f"{name}.png"], check=True)
        require(path.stat().st_size < 120_000, f"{path} is too large: {path.stat().st_size} bytes")


def main(arguments):
    folder = tempfile.mkdtemp(prefix="inspector-pages-")
    browser, failed, opened = Browser(), 0, []

    def made(name):
        path = pathlib.Path(folder) / f"{name}.html"
        if not path.exists():
            assembled(fixtures.ALL[name](), path)
        return path.as_uri()

    def open_page(url, **options):
        opened.append(Page(browser, url, **options))
        return opened[-1]

    def run(words, function, argument):
        started = time.monotonic()
        try:
            function(argument)
        except Exception as error:
            print(f"FAILED  {words}\n        {type(error).__name__}: {str(error)[:1500]}", flush=True)
            return 1
        finally:
            # A page that keeps the browser busy beyond the deadline must not hide the failure.
            while opened:
                try:
                    opened.pop().close()
                except (OSError, ConnectionError) as error:
                    sys.exit(f"The browser does not answer after the test “{words}”: {error}")
        print(f"ok      {words} ({time.monotonic() - started:.1f} s)", flush=True)
        return 0

    try:
        if arguments[:1] == ["--pictures"]:
            pictures(browser, made("sample"), arguments[1])
            return 0
        if arguments[:1] == ["--documentation"]:
            documentation(browser, made("sample"), folder)
            return 0
        for url in [pathlib.Path(path).resolve().as_uri() for path in arguments] or [made("sample"), made("hostile")]:
            for words, function in FOR_EVERY_PAGE:
                failed += run(f"{pathlib.Path(url).stem}: {words}", function, lambda **options: open_page(url, **options))
        if not arguments:
            for words, function in TESTS:
                failed += run(words, function, lambda name, **options: open_page(name if "://" in name else made(name), **options))
        for line in FIGURES:
            print(line)
        print(f"{failed} failed" if failed else "all passed")
        return 1 if failed else 0
    finally:
        browser.close()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
