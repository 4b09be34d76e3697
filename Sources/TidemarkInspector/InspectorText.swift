// Made by scripts/inspector-page from the files in Page, and from the tables in StateDiagrams; do not edit it.
// swift-format-ignore-file

/// The page of the inspector, in the parts between which a program writes.
enum InspectorText {
    /// The page up to the attributes of its root.
    static let top = ###"""
<!DOCTYPE html>
<html lang="en"
"""###

    /// The page from there up to its policy.
    static let head = ###"""
>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="
"""###

    /// The policy of a page that contacts no server.
    static let policy = ###"""
default-src 'none'; script-src 'sha256-UGq090CLFZOmRbUVEHNwn4N8wfSHjQF+2yo+OlxOBTk='; style-src 'sha256-+J+FUZai+HGTYJpl2gj6FLDxb/eeKPiJaGZD3dzQHL8='; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'
"""###

    /// The policy of a page whose data come from its server.
    static let livePolicy = ###"""
default-src 'none'; script-src 'sha256-UGq090CLFZOmRbUVEHNwn4N8wfSHjQF+2yo+OlxOBTk='; style-src 'sha256-+J+FUZai+HGTYJpl2gj6FLDxb/eeKPiJaGZD3dzQHL8='; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'
"""###

    /// The page from there up to the data.
    static let middle = ###"""
">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>Tidemark inspector</title>
<link rel="icon" href="data:,">
<style>:root {
  color-scheme: light dark;
  --page: #f6f8fa; --panel: #ffffff; --sunken: #f1f4f8; --edge: #d9e0e8; --ink: #14202e; --dim: #5a6878; --accent: #0f766e; --focus: #2563eb;
  --new: #fff6d6; --server: #dff1ff; --sent: #dcfce7; --chosen: #ccfbf1; --alarm: #b91c1c; --alarm-ink: #ffffff;
  --string: #0b6b3a; --number: #1d4ed8; --word: #8a3ffc; --key: #334155; --shadow: 0 1px 2px #0f172a14, 0 4px 14px #0f172a0d;
  --idle: #dbeafe; --idle-edge: #2563eb; --idle-ink: #172554;
  --uploading: #dcfce7; --uploading-edge: #16a34a; --uploading-ink: #052e16;
  --unconfirmed: #fef3c7; --unconfirmed-edge: #d97706; --unconfirmed-ink: #451a03;
  --deciding: #f3e8ff; --deciding-edge: #9333ea; --deciding-ink: #3b0764;
  --held: #fee2e2; --held-edge: #dc2626; --held-ink: #450a0a;
  --settled: #ccfbf1; --settled-edge: #0f766e; --settled-ink: #042f2e;
  --absent: #ffffff; --absent-edge: #64748b; --absent-ink: #334155;
  --part-SYNCD: #2aa198; --part-EDITED: #3b82f6; --part-CREATED: #8b5cf6; --part-DELETED: #94a3b8; --part-absent: #cbd5e1;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0b1017; --panel: #121924; --sunken: #0e141d; --edge: #263244; --ink: #dfe7f1; --dim: #92a1b5; --accent: #2dd4bf; --focus: #60a5fa;
    --new: #3a3110; --server: #10304a; --sent: #123f25; --chosen: #0d3f3c; --alarm: #f87171; --alarm-ink: #1a0505;
    --string: #7ddf9f; --number: #8ab8ff; --word: #cfa6ff; --key: #c5d2e2; --shadow: 0 1px 2px #0006, 0 6px 18px #0004;
    --idle: #172f5f; --idle-edge: #60a5fa; --idle-ink: #dbeafe;
    --uploading: #123f25; --uploading-edge: #4ade80; --uploading-ink: #dcfce7;
    --unconfirmed: #4d2f0a; --unconfirmed-edge: #fbbf24; --unconfirmed-ink: #fef3c7;
    --deciding: #3d1a5e; --deciding-edge: #c084fc; --deciding-ink: #f3e8ff;
    --held: #571a1a; --held-edge: #f87171; --held-ink: #fee2e2;
    --settled: #0d3f3c; --settled-edge: #2dd4bf; --settled-ink: #ccfbf1;
    --absent: #0f172a; --absent-edge: #94a3b8; --absent-ink: #cbd5e1;
    --part-DELETED: #64748b; --part-absent: #475569;
  }
}
.tone-idle { --tone: var(--idle); --tone-edge: var(--idle-edge); --tone-ink: var(--idle-ink); }
.tone-uploading { --tone: var(--uploading); --tone-edge: var(--uploading-edge); --tone-ink: var(--uploading-ink); }
.tone-unconfirmed { --tone: var(--unconfirmed); --tone-edge: var(--unconfirmed-edge); --tone-ink: var(--unconfirmed-ink); }
.tone-deciding { --tone: var(--deciding); --tone-edge: var(--deciding-edge); --tone-ink: var(--deciding-ink); }
.tone-held { --tone: var(--held); --tone-edge: var(--held-edge); --tone-ink: var(--held-ink); }
.tone-settled { --tone: var(--settled); --tone-edge: var(--settled-edge); --tone-ink: var(--settled-ink); }
.tone-absent { --tone: var(--absent); --tone-edge: var(--absent-edge); --tone-ink: var(--absent-ink); }
.part-SYNCD { background: var(--part-SYNCD); } .part-EDITED { background: var(--part-EDITED); } .part-CREATED { background: var(--part-CREATED); }
.part-DELETED { background: var(--part-DELETED); } .part-absent { background: var(--part-absent); }

* { box-sizing: border-box; scrollbar-width: thin; scrollbar-color: var(--edge) transparent; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; height: 100vh; height: 100dvh; display: flex; flex-direction: column; background: var(--page); color: var(--ink);
  font: 13px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
h1, h2, p, dl, dd, ol, ul { margin: 0; padding: 0; }
h2 { font-size: 11px; font-weight: 650; letter-spacing: .06em; text-transform: uppercase; color: var(--dim); margin: 20px 0 8px; }
code, kbd, .mono, .json { font-family: var(--mono); font-size: 12px; }
button, input, select { font: inherit; color: inherit; }
[hidden] { display: none !important; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 1px; border-radius: 4px; }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.dim { color: var(--dim); font-weight: 400; }
.warn { color: var(--alarm); }
.hidden-mark { font: 600 10px/1.2 var(--mono); color: var(--alarm); border: 1px solid currentColor; border-radius: 3px; padding: 0 2px; margin: 0 1px; unicode-bidi: isolate; direction: ltr; }
button.plain, button.act, button.more, .help button { background: var(--panel); border: 1px solid var(--edge); border-radius: 6px; padding: 2px 9px; cursor: pointer; }
button.plain:hover, button.act:hover, button.more:hover { border-color: var(--dim); }
button.act { border-color: var(--accent); color: var(--accent); font-weight: 600; padding: 4px 12px; }
button.act.careful { border-color: var(--alarm); color: var(--alarm); }
button.act:disabled { opacity: .5; cursor: default; }
button.more { font-size: 11px; color: var(--dim); margin: 2px 4px; font-family: inherit; }
button.link { background: none; border: 0; padding: 0; cursor: pointer; font-weight: 600; text-align: start; overflow-wrap: anywhere; }
button.link:hover { text-decoration: underline; text-underline-offset: 2px; }
button.link[aria-current] { color: var(--accent); }

.bar { display: flex; align-items: center; gap: 14px; padding: 10px 20px 8px; }
.bar h1 { font-size: 15px; font-weight: 650; display: flex; align-items: center; gap: 8px; white-space: nowrap; min-width: 0; max-width: 60%; }
.brand { width: 18px; height: 18px; border-radius: 5px; background: linear-gradient(160deg, #5eead4, #0f766e 60%, #134e4a); flex: none; }
.store { font-weight: 400; color: var(--dim); overflow: hidden; text-overflow: ellipsis; }
.source { color: var(--dim); flex: 1; min-width: 0; overflow-wrap: anywhere; }
.source > span { border: 1px solid var(--edge); border-radius: 12px; padding: 1px 10px; font-size: 12px; background: var(--panel); display: inline-block; }
.source > span:empty { display: none; }
.trouble, .actions { display: flex; flex-wrap: wrap; gap: 6px; }
.actions { margin-top: 8px; } .actions:empty { display: none; }
.tabs { display: flex; gap: 2px; padding: 0 16px; border-bottom: 1px solid var(--edge); overflow-x: auto; scrollbar-width: none; flex: none; }
.tabs button { background: none; border: 0; border-bottom: 2px solid transparent; padding: 6px 10px 8px; color: var(--dim); cursor: pointer; white-space: nowrap; }
.tabs button[aria-selected="true"] { color: var(--ink); border-color: var(--accent); font-weight: 600; }
.tabs button:focus-visible { outline-offset: -2px; }
.badge { font-size: 11px; font-weight: 600; margin-inline-start: 6px; padding: 0 6px; border-radius: 99px; background: var(--edge); color: var(--ink); }
.badge.alarm { background: var(--alarm); color: var(--alarm-ink); }
.news { position: absolute; inset-inline-end: 20px; bottom: 12px; z-index: 5; max-width: min(60ch, calc(100% - 40px)); color: var(--dim); font-size: 12px; pointer-events: none;
  background: var(--panel); border-radius: 6px; padding: 2px 10px; border: 1px solid var(--edge); }
.news:empty { display: none; }
.main { flex: 1; display: flex; min-height: 0; }
.views { flex: 1 1 0; min-width: 0; display: flex; }
.view { flex: 1; min-width: 0; overflow: auto; position: relative; padding: 16px 20px 48px; }
.view:focus, .record:focus { outline: none; }
.empty { color: var(--dim); padding: 48px 0; text-align: center; }
.note { color: var(--dim); margin-top: 8px; }

.hero { display: flex; flex-wrap: wrap; gap: 6px 32px; align-items: center; padding: 14px 18px; border-radius: 12px; background: var(--panel); border: 1px solid var(--edge);
  box-shadow: inset 4px 0 0 var(--tone-edge), var(--shadow); }
.sentence { font-size: 15px; font-weight: 600; flex: 1 1 260px; min-width: 0; }
.facts { display: flex; flex-wrap: wrap; gap: 4px 24px; }
.facts dt { font-size: 11px; color: var(--dim); } .facts dd { font-weight: 600; overflow-wrap: anywhere; } .facts .mono { font-weight: 400; }
.cards { list-style: none; display: grid; grid-template-columns: repeat(auto-fill, minmax(min(290px, 100%), 1fr)); gap: 10px; }
.cards.one { grid-template-columns: minmax(0, 1fr); }
.card { background: var(--panel); border: 1px solid var(--edge); border-radius: 10px; padding: 10px 14px 12px; box-shadow: var(--shadow); min-width: 0; overflow-wrap: anywhere; }
.card[class*="tone-"] { box-shadow: inset 3px 0 0 var(--tone-edge), var(--shadow); }
.card-head { display: flex; gap: 10px; align-items: baseline; justify-content: space-between; margin-bottom: 4px; min-width: 0; }
.kind { flex: 0 1 auto; max-width: 60%; font-size: 11px; font-weight: 600; padding: 0 8px; border-radius: 99px; background: var(--tone); color: var(--tone-ink); }
.helps { color: var(--dim); }
.command { display: flex; gap: 6px; align-items: flex-start; margin-top: 8px; background: var(--sunken); border: 1px solid var(--edge); border-radius: 7px; padding: 4px 4px 4px 10px; }
.command code { flex: 1; min-width: 0; overflow-wrap: anywhere; padding-top: 2px; unicode-bidi: isolate; }
.command button { font-size: 11px; color: var(--dim); padding: 1px 7px; }
.share { display: flex; gap: 2px; height: 6px; margin: 6px 0; } .share span { border-radius: 3px; min-width: 4px; }
.counts { display: flex; flex-wrap: wrap; gap: 0 14px; font-size: 12px; }
.dot { display: inline-block; width: 8px; height: 8px; border-radius: 3px; margin-inline-end: 5px; }
.chip { display: inline-flex; gap: 3px; white-space: nowrap; font-size: 11px; font-weight: 600; line-height: 18px; padding: 0 7px; border-radius: 5px; background: var(--tone); color: var(--tone-ink);
  border: 1px solid color-mix(in srgb, var(--tone-edge) 35%, transparent); flex: none; max-width: 100%; overflow: hidden; }
.chip .glyph { min-width: 1em; text-align: center; }

table { border-collapse: separate; border-spacing: 0; overflow: hidden; width: 100%; background: var(--panel); border: 1px solid var(--edge); border-radius: 10px; }
th { text-align: start; font-size: 11px; font-weight: 600; color: var(--dim); padding: 6px 9px; white-space: nowrap; }
td { padding: 5px 9px; border-top: 1px solid var(--edge); vertical-align: top; overflow-wrap: break-word; }
table [class^="is-"] { font-family: var(--mono); font-size: 12px; overflow-wrap: anywhere; unicode-bidi: isolate; }
table .is-number, table .is-word, td .path, td button.link { overflow-wrap: break-word; } .short { white-space: nowrap; }
tr.same td { color: var(--dim); } tr.same [class^="is-"] { opacity: .75; }
td.new { background: var(--new); } td.new.server { background: var(--server); } td.new.upload { background: var(--sent); }
td.new.chosen { background: var(--chosen); box-shadow: inset 0 0 0 2px var(--accent); }
.gutter { display: inline-block; width: 1.4em; margin-inline-start: -.2em; text-align: center; color: var(--accent); font-weight: 700; }
.path { overflow-wrap: anywhere; font-weight: 600; unicode-bidi: isolate; }
table[aria-label="Fields"] td[data-label="field"] { min-width: 9.5em; }
.scroll { overflow-x: auto; }
.own { width: 11em; max-width: 100%; border: 1px solid var(--edge); border-radius: 5px; background: var(--sunken); padding: 1px 6px; font-family: var(--mono); font-size: 12px; }
.own[aria-invalid="true"] { border-color: var(--alarm); }
td label { margin-inline-end: 8px; white-space: nowrap; }

#view-records { display: flex; flex-direction: column; padding: 0; overflow: hidden; }
.filters { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; padding: 12px 20px 10px; border-bottom: 1px solid var(--edge); }
.filters input, .filters select { background: var(--panel); border: 1px solid var(--edge); border-radius: 7px; padding: 5px 10px; min-width: 0; }
.filters input { flex: 1 1 130px; } .filters select { width: 138px; }
.found { color: var(--dim); font-size: 12px; margin-inline-start: auto; }
.list { flex: 1; overflow: auto; min-height: 0; position: relative; background: var(--panel); overflow-anchor: none; }
.list:focus-visible { outline-offset: -2px; }
.list-height { position: relative; overflow: hidden; }
#list-rows { position: absolute; inset-inline: 0; top: 0; }
.row { display: flex; gap: 12px; align-items: center; padding: 0 20px; border-bottom: 1px solid color-mix(in srgb, var(--edge) 60%, transparent); cursor: pointer; white-space: nowrap; overflow: hidden; }
.row:hover { background: var(--sunken); }
.row[aria-selected="true"] { background: var(--chosen); box-shadow: inset 3px 0 0 var(--accent); }
.row-pk { flex: 0 0 30%; overflow: hidden; text-overflow: ellipsis; font-weight: 600; }
.row-text { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; color: var(--dim); }

.record { flex: 0 0 min(54%, 680px); min-width: 0; overflow: auto; position: relative; padding: 0 20px 48px; border-inline-start: 1px solid var(--edge); background: var(--panel); display: none; }
.has-record .record { display: block; }
.record-head { position: sticky; top: 0; z-index: 2; background: var(--panel); display: flex; gap: 10px; align-items: center; padding: 12px 0 10px; margin-bottom: 2px; border-bottom: 1px solid var(--edge); }
.record-head h2 { margin: 0; font-size: 15px; letter-spacing: 0; text-transform: none; color: var(--ink); flex: 1; min-width: 0; overflow-wrap: anywhere; }
.record .back { order: 3; font-size: 14px; line-height: 1.3; }
.why { display: grid; grid-template-columns: auto 1fr; gap: 2px 14px; padding: 10px 0; }
.why dt { color: var(--dim); } .why dd { overflow-wrap: anywhere; } .record .card { background: var(--sunken); margin-bottom: 4px; }
.card ul { padding-inline-start: 18px; }
.record > .facts { margin-top: 20px; padding-top: 12px; border-top: 1px solid var(--edge); }
details { border: 1px solid var(--edge); border-radius: 8px; margin-bottom: 6px; background: var(--sunken); }
summary { padding: 5px 10px; cursor: pointer; color: var(--dim); }
details[open] summary { border-bottom: 1px solid var(--edge); }
.json { padding: 6px 0; max-height: 60vh; overflow: auto; }
.json > p { padding: 0 10px; }
.line { padding-inline: calc(24px + var(--depth, 0) * 14px) 10px; position: relative; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; direction: ltr; text-align: left; }
.line.changed { background: var(--new); }
.line .gutter { position: absolute; inset-inline-start: 4px; }
.line [class^="is-"], .key { unicode-bidi: isolate; }
.is-string { color: var(--string); } .is-number { color: var(--number); } .is-word { color: var(--word); } .key { color: var(--key); }
.depth { color: var(--dim); font-size: 10px; }

.steps { list-style: none; position: relative; }
.step { display: grid; grid-template-columns: 66px minmax(0, 1fr) auto; gap: 0 14px; padding: 3px 0 3px 18px; position: relative; }
.steps.whole .step { grid-template-columns: 66px minmax(0, 1.2fr) minmax(0, 1.4fr) minmax(0, 1.6fr); }
.step::before { content: ""; position: absolute; inset-inline-start: 4px; top: 0; bottom: 0; border-inline-start: 2px solid var(--edge); }
.step::after { content: ""; position: absolute; inset-inline-start: 0; top: 9px; width: 8px; height: 8px; border-radius: 50%; background: var(--tone); border: 1.5px solid var(--tone-edge); }
.when { color: var(--dim); white-space: nowrap; } .what, .move { overflow-wrap: anywhere; }

.diagram { display: block; width: 100%; min-width: 540px; max-width: 980px; margin: 0 auto; }
.diagram text { font: 12.5px system-ui, sans-serif; fill: var(--ink); }
.frame { fill: var(--panel); stroke: var(--edge); stroke-width: 1.5; }
.diagram .frame-name { font-weight: 700; font-size: 13px; } .diagram .frame-count, .diagram .pill-count { text-anchor: end; font-weight: 600; } .diagram .frame-count { fill: var(--dim); }
.pill { cursor: pointer; } .pill rect { fill: var(--tone); stroke: var(--tone-edge); stroke-width: 1.2; } .diagram .pill text { fill: var(--tone-ink); }
.pill.zero { opacity: .55; } .pill.chosen rect { stroke-width: 3; } .pill.chosen { opacity: 1; } .pill.tone-absent rect { stroke-dasharray: 5 3; }
.pill:focus-visible { outline: none; } .pill:focus-visible rect { stroke: var(--focus); stroke-width: 3; }
.here { fill: var(--accent); stroke: var(--panel); stroke-width: 2; }
.edge { fill: none; stroke: var(--dim); stroke-width: 1; opacity: .3; } .edge.main { stroke: var(--ink); stroke-width: 2; opacity: .9; } .edge.on { stroke: var(--accent); stroke-width: 2; opacity: 1; }
#tip path { fill: var(--dim); } #tip-main path { fill: var(--ink); } #tip-on path { fill: var(--accent); }
.diagram .edge-label { text-anchor: middle; font-size: 11px; fill: var(--ink); stroke: var(--page); stroke-width: 4; stroke-linejoin: round; paint-order: stroke; }

.help { border: 1px solid var(--edge); border-radius: 12px; background: var(--panel); color: var(--ink); padding: 4px 24px 20px; max-width: min(560px, calc(100vw - 24px)); box-shadow: var(--shadow); }
.help::backdrop { background: #0006; }
.keys { display: grid; grid-template-columns: auto 1fr; gap: 4px 16px; margin-bottom: 14px; } .keys dt { white-space: nowrap; } .keys dd { color: var(--dim); }
kbd { border: 1px solid var(--edge); border-bottom-width: 2px; border-radius: 4px; padding: 0 5px; background: var(--sunken); }
.help form { margin-top: 14px; text-align: end; }

@media (max-width: 899px) {
  .bar { padding: 8px 12px 4px; flex-wrap: wrap; gap: 4px 10px; } .bar h1 { flex: 1; max-width: none; } .source { order: 3; flex-basis: 100%; } .trouble { order: 4; flex-basis: 100%; }
  .tabs { padding: 0 6px; } .tabs button { padding-inline: 9px; }
  .view { padding: 12px 12px 40px; } .filters { padding: 8px 12px; } .row { padding: 0 12px; } .row-pk { flex-basis: 34%; }
  .record { position: fixed; inset: 0; z-index: 4; padding: 0 12px 40px; border: 0; } .record .back { order: -1; }
  .sentence { flex-basis: 100%; }
}
@media (max-width: 620px) {
  table, tbody, tr, td { display: block; } thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { padding: 6px 0; border-top: 1px solid var(--edge); } tbody tr:first-child { border-top: 0; }
  td { display: grid; grid-template-columns: 76px minmax(0, 1fr); border: 0; padding: 2px 10px; overflow-wrap: anywhere; }
  td::before { content: attr(data-label); color: var(--dim); font-size: 11px; grid-row: 1 / span 20; }
  td > * { grid-column: 2; justify-self: start; min-width: 0; } table [class^="is-"], td .path, td button.link { overflow-wrap: anywhere; white-space: normal; }
  td[data-label=""], td.none, tr.same td:not([data-label="field"]):not([data-label="base"]) { display: none; } td[data-label=""]:has(button) { display: grid; }
  table[aria-label^="Fields"] td[data-label="field"], table[aria-label^="Conflict"] td[data-label="field"] { display: block; } td[data-label="field"]:has(.gutter)::before { content: none; }
  table[aria-label^="Fields"] td[data-label="field"]::before { content: none; }
  .row-text { display: none; } .row-pk { flex: 1; }
  .step, .steps.whole .step { grid-template-columns: 62px minmax(0, 1fr); } .step > :nth-child(n + 3) { grid-column: 2; }
  .filters input { flex-basis: 100%; } .filters select { flex: 1; width: auto; }
}
@media (prefers-reduced-motion: no-preference) {
  .edge, .pill rect, .row, button { transition: background-color .12s, border-color .12s, opacity .12s; }
}
@media (forced-colors: active) { .chip, .kind, .badge { border: 1px solid; } .row[aria-selected="true"] { outline: 2px solid Highlight; outline-offset: -2px; } }
@media print { body { height: auto; display: block; } .view, .record { overflow: visible; } .tabs, .trouble, button.plain { display: none; } }
</style>
</head>
<body>
<header class="bar">
  <h1><span class="brand" aria-hidden="true"></span>Tidemark <span id="store" class="store"></span></h1>
  <p id="source" class="source"></p>
  <div id="trouble" class="trouble" role="group" aria-label="Make trouble" hidden></div>
  <button id="help-button" type="button" class="plain" aria-haspopup="dialog" aria-label="Keyboard and meanings">?</button>
</header>
<div id="tabs" class="tabs" role="tablist" aria-label="Views"></div>
<p id="news" class="news" role="status" aria-live="polite"></p>
<main class="main">
  <div class="views">
    <section id="view-now" class="view" role="tabpanel" aria-labelledby="tab-now" tabindex="-1"></section>
    <section id="view-records" class="view" role="tabpanel" aria-labelledby="tab-records" tabindex="-1" hidden>
      <form id="filters" class="filters" role="search" aria-label="Filter records">
        <input id="search" type="search" placeholder="Search records" aria-label="Search records by pk or content"
               autocomplete="off" spellcheck="false" aria-keyshortcuts="/">
        <select id="of-collection" aria-label="Collection"></select>
        <select id="of-state" aria-label="State or phase"></select>
        <output id="found" class="found" for="search of-collection of-state" aria-live="polite"></output>
      </form>
      <div id="list" class="list" role="listbox" aria-label="Records" tabindex="0">
        <div id="list-height" class="list-height" role="presentation"><div id="list-rows" role="presentation"></div></div>
      </div>
    </section>
    <section id="view-conflicts" class="view" role="tabpanel" aria-labelledby="tab-conflicts" tabindex="-1" hidden></section>
    <section id="view-journal" class="view" role="tabpanel" aria-labelledby="tab-journal" tabindex="-1" hidden></section>
    <section id="view-timeline" class="view" role="tabpanel" aria-labelledby="tab-timeline" tabindex="-1" hidden></section>
    <section id="view-states" class="view" role="tabpanel" aria-labelledby="tab-states" tabindex="-1" hidden></section>
  </div>
  <aside id="record" class="record" aria-label="Selected record" tabindex="-1"></aside>
</main>
<dialog id="help" class="help" aria-labelledby="help-title">
  <h2 id="help-title">Keyboard and meanings</h2>
  <dl class="keys">
    <dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>next and previous row; in Records it is opened at once</dd>
    <dt><kbd>Enter</kbd></dt><dd>open the record of the row</dd>
    <dt><kbd>/</kbd></dt><dd>search records</dd>
    <dt><kbd>1</kbd>–<kbd>6</kbd></dt><dd>Now, Records, Conflicts, Journal, Timeline, States</dd>
    <dt><kbd>Esc</kbd></dt><dd>close the record, leave the search</dd>
    <dt><kbd>?</kbd></dt><dd>this help</dd>
  </dl>
  <dl class="keys" id="legend"></dl>
  <p>Characters that can't be seen, such as controls and marks of direction, are shown by their numbers:
    <span class="hidden-mark">U+202E</span>. Numbers have the digits of the source. All times are UTC.</p>
  <form method="dialog"><button type="submit">Close</button></form>
</dialog>
<noscript><p class="news">This page draws its data with a script, which is inside the file and contacts no server.</p></noscript>
<script type="application/json" id="data">
"""###

    /// The page after the data.
    static let tail = ###"""
</script>
<script>"use strict";
// The inspector's page: problems, the queue, records, conflicts, the journal, the timeline and the state diagram of a store.
// It draws text by textContent alone; contents of records are never parsed as HTML, as a script or as a JavaScript number.
(() => {
// ---- Elements and text ----------------------------------------------------------------------------------------------

const byID = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
// Characters that can't be seen, or that reorder text; the joiners of emoji and of Persian words are kept.
const HIDDEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u034f\u115f\u1160\u3164]/gu;
const MOST_MARKS = 2000, LONGEST = 2000, LONGEST_CELL = 240;

const codeName = (character) => "U+" + character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
const plain = (text) => String(text).replace(HIDDEN, (character) => `[${codeName(character)}]`);

/** Appends text to an element; characters that can't be seen become visible marks. */
function addText(element, text) {
  const marks = text.match(HIDDEN);
  if (!marks) { element.append(text); return; }
  if (marks.length > MOST_MARKS) { element.append(plain(text)); return; }
  let end = 0;
  for (const match of text.matchAll(HIDDEN)) {
    const mark = document.createElement("span");
    mark.className = "hidden-mark";
    mark.textContent = codeName(match[0]);
    element.append(text.slice(end, match.index), mark);
    end = match.index + match[0].length;
  }
  element.append(text.slice(end));
}

/** Makes an element. Functions among the properties are listeners, and strings among the children pass through `addText`. */
function h(tag, properties, ...children) {
  const element = tag.startsWith("svg:") ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, name === "title" || name === "aria-label" ? plain(value) : value === true ? "" : value);
  }
  for (const child of children.flat(3)) {
    if (child === undefined || child === null || child === false) continue;
    if (child instanceof Node) element.append(child); else addText(element, String(child));
  }
  return element;
}

const number = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
const count = (value, one, many = one + "s") => `${number(value)} ${value === 1 ? one : many}`;
const cutAt = (text, length) => text.slice(0, /[\ud800-\udbff]/.test(text[length - 1]) ? length - 1 : length);
const items = (part) => part?.items ?? [];
const total = (part) => part?.total ?? items(part).length;

function bytes(value) {
  return value < 1000 ? `${value} B` : value < 1e6 ? `${(value / 1e3).toFixed(1)} kB` : `${(value / 1e6).toFixed(1)} MB`;
}

/** The time of day in UTC, with the date if it is not the day of the page's data. */
function clock(milliseconds) {
  if (!Number.isFinite(milliseconds) || Math.abs(milliseconds) > 8e15) return "–";
  const text = new Date(milliseconds).toISOString();
  const isToday = text.slice(0, 10) === new Date(data.made).toISOString().slice(0, 10);
  return h("time", { datetime: text, title: text }, isToday ? text.slice(11, 19) : text.slice(0, 16).replace("T", " "));
}

// ---- JSON as text: no recursion, no numbers, every digit as in the source --------------------------------------------

/** Reads JSON text into nodes `{kind, from, to, key, keyText, kids, doc}`; `doc.text` is the text without white space. */
function readJSON(source) {
  const doc = { text: "", root: null, error: null }, parts = [], stack = [];
  const word = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)(?![\w.+-])/y;
  let at = 0, length = 0, expects = "value", key = null, keyText = null;
  const fail = () => Object.assign(doc, { error: `not JSON at character ${at}`, text: source, root: null });
  const emit = (token) => { parts.push(token); length += token.length; };
  const place = (kind, from) => {
    const parent = stack[stack.length - 1];
    const node = { kind, from, to: length, key, keyText, kids: kind === "object" || kind === "array" ? [] : null, doc };
    if (!parent) doc.root = node;
    else {
      if (parent.kind === "array") node.key = String(parent.kids.length);
      parent.kids.push(node);
    }
    key = keyText = null;
    return node;
  };
  const ended = () => { expects = stack.length ? "comma" : "end"; };
  for (;;) {
    while (" \t\n\r".includes(source[at] ?? "x")) at++;
    if (at >= source.length) break;
    const first = source[at];
    let token = first;
    if (first === '"') {
      let end = at;
      for (let slashes = 1; slashes % 2 === 1;) {
        end = source.indexOf('"', end + 1);
        if (end < 0) return fail();
        for (slashes = 0; source[end - 1 - slashes] === "\\"; slashes++);
      }
      token = source.slice(at, end + 1);
    } else if (!"{}[]:,".includes(first)) {
      word.lastIndex = at;
      token = word.exec(source)?.[0];
      if (!token) return fail();
    }
    const top = stack[stack.length - 1];
    const wantsValue = expects === "value" || expects === "value or ]";
    if (first === '"' && (expects === "key" || expects === "key or }")) {
      try { key = JSON.parse(token); } catch { return fail(); }
      keyText = token;
      emit(token);
      expects = ":";
    } else if (first === ":" && expects === ":") {
      emit(token);
      expects = "value";
    } else if (first === "," && expects === "comma") {
      emit(token);
      expects = top.kind === "object" ? "key" : "value";
    } else if ((first === "{" || first === "[") && wantsValue) {
      const node = place(first === "{" ? "object" : "array", length);
      emit(token);
      stack.push(node);
      expects = first === "{" ? "key or }" : "value or ]";
    } else if (first === "}" && top?.kind === "object" && (expects === "comma" || expects === "key or }")
      || first === "]" && top?.kind === "array" && (expects === "comma" || expects === "value or ]")) {
      emit(token);
      stack.pop().to = length;
      ended();
    } else if (wantsValue && !"{}[]:,".includes(first)) {
      const from = length;
      emit(token);
      place(first === '"' ? "string" : /[tfn]/.test(first) ? "word" : "number", from);
      ended();
    } else return fail();
    at += token.length;
  }
  if (expects !== "end") return fail();
  doc.text = parts.join("");
  return doc;
}

const readIfPresent = (text) => typeof text === "string" ? readJSON(text) : null;
const textOf = (node) => node.doc.text.slice(node.from, node.to);
const isSame = (a, b) => a === b || Boolean(a && b) && textOf(a) === textOf(b);
function member(node, key) {
  if (!node.index) node.index = new Map(node.kids.map((kid) => [kid.key, kid]));
  return node.index.get(key);
}

/** The node at a JSON pointer. */
function at(node, path) {
  for (const part of path.split("/").slice(1)) {
    if (!node?.kids) return undefined;
    node = member(node, part.replace(/~1/g, "/").replace(/~0/g, "~"));
  }
  return node;
}

/** The operations of a patch, as `{op, path, from, value}`; `value` is a node. */
function operations(doc) {
  if (doc?.root?.kind !== "array") return [];
  const string = (node) => node?.kind === "string" ? JSON.parse(textOf(node)) : "";
  return doc.root.kids.filter((kid) => kid.kind === "object").map((kid) => ({
    op: string(member(kid, "op")), path: string(member(kid, "path")), from: string(member(kid, "from")),
    value: member(kid, "value"),
  })).filter((operation) => operation.op !== "test");
}

/** The lines of a document in its order; `rest` asks for as many as are drawn. */
function* linesOf(root) {
  if (!root.kids?.length) { yield { depth: 0, node: root, part: "leaf" }; return; }
  const stack = [{ node: root, next: 0 }];
  yield { depth: 0, node: root, part: "open" };
  while (stack.length) {
    const top = stack[stack.length - 1], kid = top.node.kids[top.next++];
    if (!kid) {
      stack.pop();
      const parent = stack[stack.length - 1];
      yield { depth: stack.length, node: top.node, part: "close", comma: parent && parent.next < parent.node.kids.length };
    } else if (kid.kids?.length) {
      yield { depth: stack.length, node: kid, part: "open" };
      stack.push({ node: kid, next: 0 });
    } else yield { depth: stack.length, node: kid, part: "leaf", comma: top.next < top.node.kids.length };
  }
}

/** Text that is cut, with a button for the whole. */
function long(text, key, length = LONGEST) {
  if (text.length <= length || ui.more.get(key)) return [text];
  return [cutAt(text, length), "…", moreButton(key, 1, `whole (${number(text.length)} characters)`)];
}

function moreButton(key, next, words) {
  return h("button", { type: "button", class: "more", "data-k": "more " + key, click: () => { ui.more.set(key, next); draw(); } }, words);
}

/** A document as indented lines, with a mark at each changed place. */
function pretty(doc, key, changes) {
  const box = h("div", { class: "json", tabindex: 0, role: "group", "aria-label": "JSON text" });
  if (doc.error) { box.append(h("p", { class: "warn" }, doc.error), h("div", { class: "line" }, long(doc.text, key))); return box; }
  const limit = ui.more.get(key) ?? 200;
  let drawn = 0;
  for (const { depth, node, part, comma } of linesOf(doc.root)) {
    if (drawn++ >= limit) { box.append(moreButton(key, limit * 5, `more lines, after ${number(limit)}`)); break; }
    const change = part === "close" ? undefined : changes?.get(node);
    const line = h("div", { class: change ? "line changed" : "line" });
    line.style.setProperty("--depth", Math.min(depth, 24));
    if (change) line.append(h("span", { class: "gutter", title: change }, CHANGES.get(change)), h("span", { class: "sr" }, change + ": "));
    if (depth > 24) line.append(h("span", { class: "depth" }, `${depth} `));
    if (part !== "close" && node.keyText !== null) {
      line.append(h("span", { class: "key" }, long(node.keyText, `${key} key ${node.from}`)), ": ");
    }
    const brackets = node.kind === "object" ? "{}" : "[]";
    if (part === "leaf") line.append(h("span", { class: "is-" + node.kind }, long(textOf(node), `${key} ${node.from}`)));
    else line.append(part === "open" ? brackets[0] : brackets[1]);
    if (part === "open" && node.kids.length > 20) line.append(h("span", { class: "depth" }, ` ${number(node.kids.length)} members`));
    if (comma) line.append(",");
    box.append(line);
  }
  return box;
}

// ---- Data and selection ----------------------------------------------------------------------------------------------

const STATES = new Map([["SYNCD", ["✓", "as on the server"]], ["EDITED", ["✎", "changed here"]],
  ["CREATED", ["+", "created here"]], ["DELETED", ["−", "deleted here"]], ["absent", ["∅", "not in this store"]]]);
const ACTIVITIES = new Map([["idle", ["", "waits to be sent"]], ["uploading", ["↑", "being sent"]],
  ["unconfirmed", ["~", "sent, outcome unknown"]], ["deciding", ["?", "needs a decision"]], ["held", ["!", "held, not sent"]]]);
const CHANGES = new Map([["changed on both sides", "⇄"], ["in the upload", "↑"], ["pending", "✎"], ["changed by the server", "↓"]]);
const TABS = [["now", "Now", () => total(data.problems)], ["records", "Records", () => total(data.rows)],
  ["conflicts", "Conflicts", () => total(data.conflicts)], ["journal", "Journal", () => total(data.journal)],
  ["timeline", "Timeline", () => total(data.timeline)], ["states", "States", () => 0]];
const wide = matchMedia("(min-width: 900px)");

let data = { made: 0 };
let details = new Map();
let source;
const ui = {
  tab: "now", selected: null, phase: null, cursor: -1, search: "", collection: "", state: "",
  more: new Map(), open: new Map(), answers: new Map(), drafts: new Map(), armed: null,
};

const split = (phase) => { const [state, activity] = String(phase).split("."); return { state, activity }; };
const tone = (phase) => { const { state, activity } = split(phase); return activity ?? (state === "SYNCD" ? "settled" : "absent"); };
const isSelected = (collection, pk) => ui.selected?.collection === collection && ui.selected?.pk === pk;
const detail = (name) => name && details.get(name.collection)?.get(name.pk);

function remember(record) {
  if (!details.has(record.collection)) details.set(record.collection, new Map());
  details.get(record.collection).set(record.pk, record);
}

/** Takes new data; the selection, the filters and all that was opened stay. */
function take(next) {
  data = next;
  details = new Map();
  for (const record of data.records ?? []) remember(record);
  rows.load();
  draw();
}

function select(collection, pk, focus = true) {
  ui.selected = { collection, pk };
  for (const key of [...ui.more.keys()]) if (/^(words record|hold) /.test(key)) ui.more.delete(key);
  ui.armed = null;
  byID("record").scrollTop = 0;
  draw();
  if (focus && !wide.matches) byID("record").focus();
  source.select?.(ui.selected);
}

function unselect() {
  const view = byID("view-" + ui.tab), key = linkKey(ui.selected.collection, ui.selected.pk);
  ui.selected = null;
  draw();
  (view.querySelector(".list") ?? [...view.querySelectorAll("[data-k]")].find((element) => element.dataset.k === key) ?? view).focus();
}

function say(words) { byID("news").textContent = plain(words); }

// ---- Small parts -----------------------------------------------------------------------------------------------------

function chip(phase) {
  const { state, activity } = split(phase);
  const words = [STATES.get(state)?.[1], ACTIVITIES.get(activity)?.[1]].filter(Boolean).join(", ");
  return h("span", { class: `chip tone-${TONES.has(tone(phase)) ? tone(phase) : "absent"}`, title: words },
    h("span", { class: "glyph", "aria-hidden": "true" }, STATES.get(state)?.[0] ?? "·", ACTIVITIES.get(activity)?.[0] ?? ""), " ", phase);
}
const TONES = new Set(["idle", "uploading", "unconfirmed", "deciding", "held", "settled", "absent"]);

const linkKey = (collection, pk) => `link ${collection} ${pk}`;

function recordLink(collection, pk) {
  return h("button", { type: "button", class: "link", "data-row": "", "data-k": linkKey(collection, pk),
    "aria-current": isSelected(collection, pk) ? "true" : undefined, click: () => select(collection, pk) },
  h("span", { class: "dim" }, collection + "/"), h("bdi", {}, cutAt(pk, 120), pk.length > 120 && "…"));
}

function command(text) {
  const code = h("code", { tabindex: 0 }, cutAt(text, LONGEST));
  const copy = async () => {
    try { await navigator.clipboard.writeText(text); say("Copied."); } catch { getSelection().selectAllChildren(code); }
  };
  return h("div", { class: "command" }, code, h("button", { type: "button", class: "plain", "aria-label": "Copy the command", click: copy }, "copy"));
}

/** A button of live mode; an armed one asks for a second press. Without actions there is none. */
function action(label, name, body, { isArmed = false, isOff = false } = {}) {
  if (data.actions !== true || !source.act) return null;
  const key = JSON.stringify([label, name, body]);
  const press = () => {
    if (isArmed && ui.armed !== key) { ui.armed = key; draw(); return; }
    ui.armed = null;
    source.act(name, body);
  };
  return h("button", { type: "button", class: isArmed ? "act careful" : "act", "data-k": "act " + key, disabled: isOff, click: press },
    ui.armed === key ? `Really ${label[0].toLowerCase()}${label.slice(1)}?` : label);
}

/** The button of an action's name, about a record or a collection. */
function namedAction(name, about) {
  const body = { collection: about.collection, pk: about.pk, digest: about.digest };
  switch (name) {
  case "retry": return action("Retry", name, body);
  case "resign": return action("Discard the local change", name, body, { isArmed: true });
  case "resume": return action("Resume", name, { collection: about.collection });
  default: return null;
  }
}

const paragraph = (text, key, kind) => h("p", { class: kind }, long(String(text), "words " + key));

function table(label, heads, lines) {
  return h("table", { "aria-label": label }, h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))),
    h("tbody", {}, lines));
}
const cell = (label, ...children) => h("td", { "data-label": label }, children);

/** The items of a list that are drawn; `cutNote` has the button for more of them, and the number of those that the page has not. */
const first = (part, key) => items(part).slice(0, ui.more.get(key) ?? 200);

function cutNote(part, key) {
  const have = items(part).length, drawn = first(part, key).length;
  return [have > drawn && moreButton(key, drawn * 5, `more, after ${number(drawn)} of ${number(have)}`),
    total(part) > have && h("p", { class: "dim" }, `${number(have)} of ${number(total(part))} are in this page.`, part.all && command(part.all))];
}

function section(title, ...children) { return h("section", {}, h("h2", {}, title), children); }

function fold(key, title, isOpen, content) {
  const open = ui.open.get(key) ?? isOpen;
  const box = h("details", { open, toggle: (event) => {
    if (event.target.open === (ui.open.get(key) ?? isOpen)) return;
    ui.open.set(key, event.target.open);
    draw();
  } }, h("summary", { "data-k": "fold " + key }, title));
  if (open) box.append(content());
  return box;
}

// ---- Now -------------------------------------------------------------------------------------------------------------

function drawNow() {
  if (data.format === undefined) return h("p", { class: "empty" }, "There are no data yet.");
  const status = data.status ?? {}, waits = total(data.queue);
  const facts = [status.lastInSync !== undefined && ["last in sync", clock(status.lastInSync)],
    status.nextTry !== undefined && ["next try", clock(status.nextTry)],
    status.requests !== undefined && ["requests, last hour", `${number(status.requests)}, ${bytes(status.bytes ?? 0)}`],
    status.hints !== undefined && ["change notifications", status.hints ? "yes" : "no, polling"]].filter(Boolean);
  return [
    h("div", { class: `hero tone-${total(data.problems) ? "held" : waits ? "idle" : "settled"}` },
      h("p", { class: "sentence" }, status.words ?? ""), h("dl", { class: "facts" }, facts.map(([name, value]) =>
        h("div", {}, h("dt", {}, name), h("dd", {}, value))))),
    (data.notes ?? []).map((note) => h("p", { class: "note" }, note)),
    section(total(data.problems) ? `Problems ${number(total(data.problems))}` : "No problems",
      h("ol", { class: "cards" }, first(data.problems, "problems").map(problemCard)), cutNote(data.problems, "problems")),
    section(`Queue ${number(waits)}`, waits === 0 ? h("p", { class: "dim" }, "Nothing waits to be sent.") : drawQueue(), cutNote(data.queue, "queue")),
    section("Collections", h("div", { class: "cards" }, (data.collections ?? []).map(collectionCard))),
    (data.requests ?? []).length > 0 && section("Requests, the last first", drawRequests(), cutNote({ items: data.requests }, "requests")),
  ];
}

function drawRequests() {
  return table("Requests, the last first", ["", "collection", "request", "answer"], first({ items: data.requests }, "requests").map((request) =>
    h("tr", {}, cell("", h("span", { class: "dim" }, number(request.n ?? 0))), cell("collection", request.collection ?? ""),
      cell("request", request.edits > 0 ? `POST of ${count(request.edits, "edit")}` : "GET"),
      cell("answer", request.failure !== undefined ? h("span", { class: "warn" }, request.failure)
        : request.rows !== undefined ? count(request.rows, "row") : h("span", { class: "dim" }, "is awaited")))));
}

const KINDS = new Map([["conflict", "deciding"], ["waiting", "unconfirmed"], ["rolled-back", "unconfirmed"]]);

function problemCard(problem) {
  const hasRecord = typeof problem.pk === "string";
  return h("li", { class: `card tone-${KINDS.get(problem.kind) ?? "held"}` },
    h("div", { class: "card-head" }, hasRecord ? recordLink(problem.collection, problem.pk) : h("b", {}, problem.collection ?? ""),
      h("span", { class: "kind" }, problem.kind)),
    paragraph(problem.why, `why ${problem.collection} ${problem.pk}`), problem.helps && paragraph(problem.helps, `helps ${problem.collection} ${problem.pk}`, "helps"),
    (problem.commands ?? []).map(command),
    h("div", { class: "actions" }, (problem.actions ?? []).map((name) => namedAction(name, problem)),
      problem.kind === "conflict" && hasRecord && data.actions === true
        && h("button", { type: "button", class: "act", click: () => select(problem.collection, problem.pk) }, "Decide")));
}

function drawQueue() {
  return table("Queue, in the order of sending", ["", "record", "phase", "edits", "bytes"], first(data.queue, "queue").map((item, index) =>
    h("tr", {}, cell("", h("span", { class: "dim" }, index + 1)), cell("record", recordLink(item.collection, item.pk)),
      cell("phase", chip(item.phase), item.request && h("span", { class: "dim", title: item.request }, " sent again")),
      cell("edits", number(item.edits ?? 0)), cell("bytes", bytes(item.bytes ?? 0)))));
}

function collectionCard(collection) {
  const counts = [...STATES.keys()].map((state) => [state, collection.counts?.[state] ?? 0]).filter(([, value]) => value > 0);
  const whole = counts.reduce((sum, [, value]) => sum + value, 0);
  const share = h("div", { class: "share", "aria-hidden": "true" }, counts.map(([state, value]) => {
    const part = h("span", { class: "part-" + state });
    part.style.flexGrow = Math.max(value / whole, 0.02);
    return part;
  }));
  const parts = [["uploads", "being sent"], ["conflicts", "to decide"], ["held", "held"], ["waiting", "waiting for other records"]]
    .filter(([key]) => collection[key] > 0).map(([key, words]) => `${number(collection[key])} ${words}`);
  return h("div", { class: "card" },
    h("div", { class: "card-head" }, h("button", { type: "button", class: "link", "data-row": "", "data-k": "collection " + collection.name,
      click: () => rows.show({ collection: collection.name }) }, h("b", {}, collection.name)), h("span", { class: "dim" }, count(whole, "record"))),
    share, h("p", { class: "counts" }, counts.map(([state, value]) => h("span", { title: STATES.get(state)[1] },
      h("i", { class: "dot part-" + state, "aria-hidden": "true" }), `${state} ${number(value)}`))),
    parts.length > 0 && h("p", {}, parts.join(" · ")), collection.paused && h("p", { class: "warn" }, "Paused: ", collection.paused),
    h("p", { class: "dim" }, collection.lastInSync === undefined ? "not synced yet" : ["in sync at ", clock(collection.lastInSync)],
      collection.cursor && [" · cursor ", h("bdi", { class: "mono" }, cutAt(collection.cursor, 40))]));
}

// ---- Records: a list that draws only the rows on the screen ------------------------------------------------------------

const rows = {
  all: [], found: [], texts: [], height: 30,
  load() {
    this.all = items(data.rows);
    this.texts = [];
    this.height = matchMedia("(pointer: coarse)").matches ? 42 : 30;
    const option = (value, words) => h("option", { value }, words);
    const nodes = data.diagram?.nodes ?? [];
    byID("of-collection").replaceChildren(option("", "all collections"), ...(data.collections ?? []).map((one) => option(one.name, one.name)));
    byID("of-state").replaceChildren(option("", "any state"),
      h("optgroup", { label: "State" }, [...STATES.keys()].slice(0, 4).map((state) => option(state, state))),
      h("optgroup", { label: "Activity" }, [...ACTIVITIES].map(([activity, [, words]]) => option("." + activity, words))),
      h("optgroup", { label: "Phase" }, nodes.filter((node) => node.activity).map((node) => option(node.phase, `${node.phase} (${node.count})`))));
    this.filter();
  },
  filter() {
    byID("of-collection").value = ui.collection;
    byID("of-state").value = ui.state;
    const phases = (data.diagram?.nodes ?? []).map((node) => !ui.state || node.phase === ui.state || node.state === ui.state
      || ui.state === "." + node.activity);
    const wanted = (data.collections ?? []).findIndex((one) => one.name === ui.collection), words = ui.search.toLowerCase();
    const isWhole = !ui.collection && !ui.state && !words;
    this.found = [];
    ui.cursor = -1;
    for (let index = 0; index < this.all.length; index++) {
      const row = this.all[index];
      if (!isWhole) {
        if (ui.collection && row[0] !== wanted || !phases[row[2]]) continue;
        if (words && this.texts[index] === undefined) this.texts[index] = `${row[1]}\n${row[3] ?? ""}`.toLowerCase();
        if (words && !this.texts[index].includes(words)) continue;
      }
      if (ui.selected && row[1] === ui.selected.pk && this.name(index).collection === ui.selected.collection) ui.cursor = this.found.length;
      this.found.push(index);
    }
    this.draw();
  },
  name(index) { const [collection, pk] = this.all[index]; return { collection: data.collections[collection]?.name ?? "", pk }; },
  /** Opens the list with a filter. */
  show(filter) {
    Object.assign(ui, { search: "", collection: "", state: "" }, filter);
    byID("search").value = ui.search;
    openTab("records");
    byID("list").scrollTop = 0;
    this.filter();
  },
  draw() {
    if (ui.tab !== "records") return;
    const list = byID("list"), visible = Math.ceil(list.clientHeight / this.height) + 12;
    byID("list-height").style.height = `${this.found.length * this.height}px`;
    const first = Math.max(0, Math.min(Math.floor(list.scrollTop / this.height) - 6, this.found.length - visible));
    byID("list-rows").style.transform = `translateY(${first * this.height}px)`;
    byID("list-rows").replaceChildren(...this.found.slice(first, first + visible).map((index, offset) => this.row(index, first + offset)));
    const left = total(data.rows) - this.all.length;
    byID("found").value = `${number(this.found.length)} of ${number(this.all.length)}${left > 0 ? `; ${number(left)} more are not in this page` : ""}`;
    if (ui.cursor >= 0) list.setAttribute("aria-activedescendant", "row-" + ui.cursor); else list.removeAttribute("aria-activedescendant");
  },
  row(index, place) {
    const [, pk, phase, text] = this.all[index], name = this.name(index), words = data.diagram?.nodes?.[phase]?.phase ?? "";
    const row = h("div", { class: "row", role: "option", id: "row-" + place, "aria-selected": place === ui.cursor ? "true" : "false",
      "aria-posinset": place + 1, "aria-setsize": this.found.length, click: () => this.move(place) },
    h("span", { class: "row-pk" }, !ui.collection && h("span", { class: "dim" }, name.collection + "/"), h("bdi", {}, cutAt(pk, 120))),
    h("bdi", { class: "row-text" }, cutAt(text ?? "", 200)), chip(words));
    row.style.height = `${this.height}px`;
    return row;
  },
  /** Moves the cursor to a place, scrolls to it, and opens the record. */
  move(place, focus = true) {
    if (!this.found.length) return;
    ui.cursor = Math.max(0, Math.min(place, this.found.length - 1));
    const list = byID("list"), top = ui.cursor * this.height;
    if (top < list.scrollTop) list.scrollTop = top;
    if (top + this.height > list.scrollTop + list.clientHeight) list.scrollTop = top + this.height - list.clientHeight;
    const { collection, pk } = this.name(this.found[ui.cursor]);
    select(collection, pk, focus);
  },
};

// ---- One record --------------------------------------------------------------------------------------------------------

function drawRecord() {
  const name = ui.selected;
  if (!name) return [];
  const record = detail(name);
  const head = h("header", { class: "record-head" },
    h("button", { type: "button", class: "plain back", "data-k": "back", "aria-label": "Close the record", click: unselect }, wide.matches ? "×" : "‹ back"),
    h("h2", {}, h("span", { class: "dim" }, name.collection + "/"), h("bdi", {}, long(name.pk, "pk", 200))), record && chip(record.phase));
  if (!record) return [head, h("p", { class: "dim" }, source.select ? "Loading …" : "The details of this record are not in this page.")];
  const conflict = items(data.conflicts).find((one) => isSelected(one.collection, one.pk));
  const entries = items(data.journal).filter((one) => isSelected(one.collection, one.pk));
  const steps = items(data.timeline).filter((one) => one.of === "record" && isSelected(one.collection, one.pk));
  const docs = { base: readIfPresent(record.base), seen: readIfPresent(record.seen), view: readIfPresent(record.view),
    upload: readIfPresent(record.upload), pending: readIfPresent(record.pending) };
  const hold = record.hold;
  return [head,
    h("dl", { class: "why" },
      h("dt", {}, "why"), h("dd", {}, (record.why ?? []).map((sentence, index) => paragraph(sentence, `record why ${index}`))),
      h("dt", {}, "next"), h("dd", {}, (record.next ?? []).map((sentence, index) => paragraph(sentence, `record next ${index}`)))),
    hold && h("div", { class: "card tone-held" }, h("p", {}, h("b", {}, "Held"), hold.status !== undefined && ` ${hold.status}`, ": ", long(hold.words ?? "", "hold words")),
      h("ul", {}, (hold.fields ?? []).map((field) => h("li", {}, h("code", {}, field.path), " ", field.words)))),
    h("div", { class: "actions" }, (record.actions ?? []).map((action) => namedAction(action, record))),
    conflict && data.actions === true && section("Decide by field", conflictTable(conflict)),
    section("Fields", fields(record, docs)),
    record.commands?.length > 0 && section("Commands", record.commands.map(command)),
    steps.length > 0 && section("Timeline", h("ol", { class: "steps" }, steps.slice(0, 200).map((step) => stepLine(step, false)))),
    entries.length > 0 && section("Journal", journalTable(entries.slice(0, 200), false)),
    section("Documents", [["view", "view, as the app sees it", docs.view], ["base", "base, as the server confirmed it", docs.base],
      ["seen", "the server's row of the conflict", docs.seen], ["upload", "upload, the patch in a request", docs.upload],
      ["pending", "pending, the patch of later changes", docs.pending]].filter(([, , doc]) => doc).map(([key, title, doc]) =>
      fold(`${name.collection} ${name.pk} ${key}`, `${title} · ${count(doc.text.length, "character")}`, key === "view" && !docs.upload && !docs.pending,
        () => pretty(doc, `${name.collection} ${name.pk} ${key} lines`, changesIn(doc, docs))))),
    h("dl", { class: "facts" }, [["version", record.version], ["request", record.request],
      ...(record.times ?? []).map(([label, time]) => [label, clock(time)])].filter(([, value]) => value !== undefined)
      .map(([label, value]) => h("div", {}, h("dt", {}, label), h("dd", {}, h("bdi", { class: "mono" }, typeof value === "string" ? long(value, label, 120) : value)))))];
}

/** The changed places of a document, by node. */
function changesIn(doc, docs) {
  const changes = new Map();
  if (!doc.root || doc === docs.upload || doc === docs.pending) return changes;
  for (const [patch, change] of [[docs.upload, "in the upload"], [docs.pending, "pending"]]) {
    for (const { path } of operations(patch)) {
      const node = at(doc.root, path);
      if (node) changes.set(node, change);
    }
  }
  if (doc === docs.seen && docs.base?.root?.kind === "object" && doc.root.kind === "object") {
    for (const kid of doc.root.kids) if (!isSame(kid, member(docs.base.root, kid.key))) changes.set(kid, "changed by the server");
  }
  return changes;
}

/** One line for each field: the members of the record, and inside a member only if a part of it was changed. */
function fields(record, docs) {
  const broken = [docs.base, docs.seen, docs.view, docs.upload, docs.pending].find((doc) => doc?.error);
  if (broken) return h("p", { class: "warn" }, `A document of this record is ${broken.error}.`);
  const patches = [operations(docs.upload), operations(docs.pending)];
  const above = new Set();
  for (const { path } of patches.flat()) {
    for (let end = path.lastIndexOf("/"); end >= 0 && above.size < 50_000; end = path.lastIndexOf("/", end - 1)) {
      above.add(path.slice(0, end));
      if (end === 0) break;
    }
  }
  const lines = [];
  const visit = (path, depth, nodes) => {
    const objects = nodes.filter((node) => node?.kind === "object");
    const isObject = objects.length > 0 && nodes.every((node) => !node || node.kind === "object");
    const isChanged = above.has(path) || nodes[1] && !isSame(nodes[0], nodes[1]) || !isSame(nodes[0], nodes[2]);
    if (isObject && depth < 16 && (depth === 0 || isChanged && objects.length > 1)) {
      const keys = new Set(objects.flatMap((node) => node.kids.map((kid) => kid.key)));
      for (const key of keys) {
        visit(`${path}/${key.replace(/~/g, "~0").replace(/\//g, "~1")}`, depth + 1, nodes.map((node) => node && member(node, key)));
      }
      if (depth > 0 || keys.size > 0) return;
    }
    lines.push({ path, nodes });
  };
  visit("", 0, [docs.base?.root, docs.seen?.root, docs.view?.root ?? (record.state === "SYNCD" ? docs.base?.root : undefined)]);
  const roots = patches.map((operations) => operations.some(({ path }) => path === ""));
  const paths = patches.map((operations) => new Set(operations.map(({ path }) => path)));
  const touches = (which, path) => {
    if (roots[which] || paths[which].has(path)) return true;
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) if (paths[which].has(path.slice(0, end))) return true;
    return above.has(path) && patches[which].some((operation) => operation.path.startsWith(path + "/"));
  };
  for (const line of lines) {
    const [sends, edits] = [touches(0, line.path), touches(1, line.path)];
    const moved = docs.seen && !isSame(line.nodes[0], line.nodes[1]);
    line.change = moved && (sends || edits) ? "changed on both sides" : moved ? "changed by the server" : edits ? "pending" : sends ? "in the upload" : null;
  }
  lines.sort((a, b) => (a.change ? 0 : 1) - (b.change ? 0 : 1));
  if (record.state === "DELETED") lines.forEach((line) => { line.isDeleted = true; });
  const key = `${record.collection} ${record.pk} fields`, limit = ui.more.get(key) ?? 40;
  const value = (node, path, column) => node ? h("span", { class: `is-${node.kind}${node.to - node.from > 12 ? "" : " short"}` }, long(textOf(node), `${key} ${column} ${path}`, LONGEST_CELL)) : h("span", { class: "dim" }, "–");
  const patched = (which, path) => patches[which].map((operation) => {
    if (operation.path === path || operation.path.startsWith(path + "/")) {
      const inside = operation.path.slice(path.length);
      return h("div", {}, inside && h("code", {}, cutAt(inside, 80), " "), operation.op === "remove" ? "removed"
        : operation.value ? value(operation.value, operation.path, which) : `${operation.op} from ${operation.from}`);
    }
    if (operation.path !== "" && !path.startsWith(operation.path + "/")) return null;
    const node = operation.value && at(operation.value, path.slice(operation.path.length));
    return node ? h("div", {}, value(node, path, which)) : null;
  }).filter(Boolean).slice(0, 20);
  const isPlain = !docs.upload && !docs.pending && !docs.seen && record.state !== "DELETED";
  // With the server's row there are many columns, so an upload that does not exist has none.
  const layers = docs.seen && !docs.upload ? ["pending"] : ["upload", "pending"];
  const heads = isPlain ? ["field", "data"] : ["field", "base", ...docs.seen ? ["server now"] : [], ...layers, "view"];
  const same = h("span", { class: "dim" }, "same");
  const shown = lines.slice(0, limit).map(({ path, nodes: [base, seen, view], change, isDeleted }) => {
    const name = cell("field", change && h("span", { class: "gutter", title: change }, CHANGES.get(change)), change && h("span", { class: "sr" }, change + ": "),
      h("code", { class: "path" }, path === "" ? "the record" : long(path.slice(1).replace(/~1/g, "/").replace(/~0/g, "~"), `${key} path ${path}`, 120)));
    if (isPlain) return h("tr", {}, name, cell("data", value(base ?? view, path, "base")));
    const cells = { upload: patched(0, path), pending: patched(1, path) };
    return h("tr", { class: change ? "changed" : "same" }, name, cell("base", value(base, path, "base")),
      docs.seen && h("td", { "data-label": "server now", class: change === "changed by the server" || change === "changed on both sides" ? "new server" : isSame(base, seen) ? "none" : undefined }, isSame(base, seen) ? same.cloneNode(true) : value(seen, path, "seen")),
      ...layers.map((column) => h("td", { "data-label": column, class: cells[column].length ? "new " + column : "none" }, cells[column].length ? cells[column] : h("span", { class: "dim" }, "–"))),
      h("td", { "data-label": "view", class: change && !isSame(base, view) ? "new" : undefined }, isDeleted ? h("span", { class: "dim" }, "deleted")
        : !change && isSame(base, view) ? same.cloneNode(true) : value(view, path, "view")));
  });
  return [h("div", { class: "scroll", "data-k": "scroll fields", tabindex: 0, role: "group", "aria-label": "Fields of the record" }, table("Fields", heads, shown)),
    lines.length > limit && moreButton(key, limit * 10, `more fields (${number(lines.length - limit)})`)];
}

// ---- Conflicts, journal, timeline --------------------------------------------------------------------------------------

function valueText(text, key) {
  if (text === undefined || text === null) return h("span", { class: "dim" }, "removed");
  const doc = readJSON(text);
  return h("span", { class: doc.root ? `is-${doc.root.kind}${doc.text.length > 12 ? "" : " short"}` : "warn" }, long(doc.text, key, LONGEST_CELL));
}

function conflictTable(conflict) {
  const id = `${conflict.collection} ${conflict.pk}`, mayDecide = data.actions === true;
  const answers = ui.answers.get(id) ?? new Map();
  const answer = (path, given) => { ui.answers.set(id, new Map(answers).set(path, given)); draw(); };
  const body = (list) => ({ collection: conflict.collection, pk: conflict.pk, digest: conflict.digest, answers: list });
  const all = (side) => (conflict.clashes ?? []).map(({ path }) => ({ path, take: side }));
  const lines = (conflict.clashes ?? []).map((clash, index) => {
    const given = answers.get(clash.path), key = `${id} clash ${clash.path}`;
    const pick = (side, label) => h("label", {}, h("input", { type: "radio", name: `clash ${id} ${index}`, "data-k": `${key} ${side}`,
      "aria-label": `${label} for ${clash.path || "the record"}`, change: () => answer(clash.path, { take: side }) }), " ", label);
    const own = h("input", { type: "text", class: "own", "data-k": key + " own", placeholder: "own JSON", "aria-label": `Own JSON value for ${clash.path || "the record"}`,
      input: (event) => ui.drafts.set(key, event.target.value),
      change: (event) => {
        const isJSON = !readJSON(event.target.value).error;
        event.target.setAttribute("aria-invalid", String(!isJSON));
        if (isJSON) answer(clash.path, { value: event.target.value });
      } });
    own.value = ui.drafts.get(key) ?? given?.value ?? "";
    const decide = mayDecide && h("td", { "data-label": "decide" }, pick("server", "server"), pick("client", "mine"), own);
    if (decide && given?.take) decide.querySelectorAll("input")[given.take === "server" ? 0 : 1].checked = true;
    return h("tr", { class: "changed" }, cell("field", h("span", { class: "gutter" }, "⇄"), h("code", { class: "path" }, clash.path === "" ? "the record" : cutAt(clash.path, 200))),
      cell("base", valueText(clash.base, key + " base")), h("td", { "data-label": "server", class: given?.take === "server" ? "new chosen" : "new server" }, valueText(clash.server, key + " server")),
      h("td", { "data-label": "mine", class: given?.take === "client" ? "new chosen" : "new pending" }, valueText(clash.client, key + " client")), decide);
  });
  const given = (conflict.clashes ?? []).filter(({ path }) => answers.has(path)).map(({ path }) => ({ path, ...answers.get(path) }));
  return [h("div", { class: "scroll", "data-k": "scroll " + id, tabindex: 0, role: "group", "aria-label": "Conflict by field" },
    table("Conflict by field", ["field", "base", "server", "mine", ...mayDecide ? ["decide"] : []], lines)),
  h("div", { class: "actions" }, action("Save the decision", "resolve", body(given), { isOff: given.length < lines.length }),
    action("Take server", "resolve", body(all("server"))), action("Take mine", "resolve", body(all("client"))),
    action("Keep both", "keepBoth", body([]))),
  mayDecide ? null : (conflict.commands ?? []).map(command)];
}

function drawConflicts() {
  if (!total(data.conflicts)) return h("p", { class: "empty" }, "No conflict waits for a decision.");
  return [h("div", { class: "cards one" }, first(data.conflicts, "conflicts").map((conflict) => h("article", { class: "card tone-deciding" },
    h("div", { class: "card-head" }, recordLink(conflict.collection, conflict.pk), h("span", { class: "kind" }, conflict.kind)), conflictTable(conflict)))),
  cutNote(data.conflicts, "conflicts")];
}

function journalTable(entries, hasRecords) {
  return table("Journal", ["entry", ...hasRecords ? ["record"] : [], "field", "lost value", "side", "reason", "time", ""].slice(0, data.actions === true ? 9 : hasRecords ? 7 : 6), entries.map((entry) => h("tr", {},
    cell("entry", entry.n), hasRecords && cell("record", recordLink(entry.collection, entry.pk)),
    cell("field", h("code", { class: "path" }, entry.path === "" ? "the record" : cutAt(entry.path, 200))),
    cell("lost value", valueText(entry.value, `journal ${entry.collection} ${entry.n}`)), cell("side", entry.side), cell("reason", entry.kind), cell("time", clock(entry.time ?? NaN)),
    data.actions === true && cell("", action("Restore", "restore", { collection: entry.collection, pk: entry.pk, entry: entry.n, digest: entry.digest }, { isArmed: true })))));
}

function drawJournal() {
  if (!total(data.journal)) return h("p", { class: "empty" }, "No value has lost in a merge or a decision.");
  return [journalTable(first(data.journal, "journal"), true), cutNote(data.journal, "journal")];
}

function stepLine(step, hasRecord) {
  const isMove = step.from !== step.to;
  return h("li", { class: `step tone-${TONES.has(tone(step.to)) ? tone(step.to) : "absent"}` },
    h("span", { class: "when" }, step.time === undefined ? `#${step.n}` : clock(step.time)),
    h("span", { class: "what" }, h("b", {}, step.event), step.request && h("span", { class: "dim", title: "request" }, ` ${step.request}`),
      step.failure && h("span", { class: "warn" }, ` ${step.failure}`)),
    hasRecord && h("span", {}, step.of === "record" ? recordLink(step.collection, step.pk) : h("span", { class: "dim" }, `${step.collection} · ${step.of}`)),
    step.to && h("span", { class: "move" }, isMove && step.from ? h("span", { class: "dim" }, step.from, " → ") : null,
      step.of === "record" ? h("button", { type: "button", class: "link", "data-k": `step ${step.n}`, title: "Show in the state diagram",
        click: () => { ui.phase = step.to; openTab("states"); } }, step.to) : step.to));
}

function drawTimeline() {
  if (!total(data.timeline)) return h("p", { class: "empty" }, "No trace is kept. An app records one if its configuration has a traceLimit.");
  return [h("ol", { class: "steps whole" }, first(data.timeline, "timeline").map((step) => stepLine(step, true))), cutNote(data.timeline, "timeline")];
}

// ---- State diagram -------------------------------------------------------------------------------------------------------

const FRAMES = new Map([["absent", [6, 196, 76]], ["CREATED", [146, 8, 154]], ["DELETED", [146, 246, 154]],
  ["SYNCD", [366, 196, 112]], ["EDITED", [544, 112, 154]]]);
const PILL = 28, FRAME_TOP = 34;

/** The boxes of the diagram: a frame for each state, and a pill for each phase. */
function layout(nodes) {
  const frames = new Map(), pills = new Map();
  for (const node of nodes) {
    const [x, y, width] = FRAMES.get(node.state) ?? [8, 440, 148];
    if (!frames.has(node.state)) frames.set(node.state, { name: node.state, x, y, width, height: 40, nodes: [] });
    const frame = frames.get(node.state);
    if (node.activity) {
      pills.set(node.phase, { node, x: x + 10, y: y + FRAME_TOP + frame.nodes.length * PILL, width: width - 20, height: PILL - 4, frame });
      frame.height = FRAME_TOP + (frame.nodes.length + 1) * PILL + 6;
    } else pills.set(node.phase, { node, x, y, width, height: 40, frame });
    frame.nodes.push(node);
  }
  return { frames, pills };
}

/** A curve from one box to another; two boxes of one frame are joined at its right side. */
function curve(a, b, offset = 0) {
  const middle = (box) => box.y + box.height / 2 + offset;
  if (a === b) return `M${a.x + a.width} ${middle(a) - 6}q26 6 0 12`;
  if (a.frame && a.frame === b.frame) {
    const x = a.x + a.width, bulge = 18 + Math.abs(middle(a) - middle(b)) / 4;
    return `M${x} ${middle(a)}C${x + bulge} ${middle(a)} ${x + bulge} ${middle(b)} ${x + 3} ${middle(b)}`;
  }
  if (Math.abs(a.x - b.x) < 60) {
    const x = a.x, bulge = 40;
    return `M${x} ${middle(a)}C${x - bulge} ${middle(a)} ${x - bulge} ${middle(b)} ${x - 3} ${middle(b)}`;
  }
  const right = b.x > a.x, from = right ? a.x + a.width : a.x, to = right ? b.x - 4 : b.x + b.width + 4, half = (to - from) / 2;
  return `M${from} ${middle(a)}C${from + half} ${middle(a)} ${to - half} ${middle(b)} ${to} ${middle(b)}`;
}

function drawDiagram() {
  const nodes = data.diagram?.nodes ?? [], edges = data.diagram?.edges ?? [];
  const { frames, pills } = layout(nodes), chosen = ui.phase, mine = detail(ui.selected)?.phase;
  const s = (tag, properties, ...children) => h("svg:" + tag, properties, ...children);
  const tip = (id) => s("marker", { id, viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" }, s("path", { d: "M0 1L10 5L0 9z" }));
  const height = Math.max(...[...frames.values()].map((frame) => frame.y + frame.height), 100) + 10;
  const svg = s("svg", { viewBox: `0 0 734 ${height}`, class: "diagram", role: "group", "aria-label": "State diagram of a record, with the number of records in each phase" },
    s("defs", {}, tip("tip"), tip("tip-main"), tip("tip-on")));
  for (const frame of frames.values()) {
    if (frame.nodes.some((node) => node.activity)) {
      svg.append(s("rect", { class: "frame", x: frame.x, y: frame.y, width: frame.width, height: frame.height, rx: 10 }),
        s("text", { class: "frame-name", x: frame.x + 12, y: frame.y + 22 }, frame.name),
        s("text", { class: "frame-count", x: frame.x + frame.width - 12, y: frame.y + 22 }, number(frame.nodes.reduce((sum, node) => sum + (node.count ?? 0), 0))));
    }
  }
  // The main path always, all arrows of a chosen phase, and between the states one faint line for each pair.
  const pairs = new Set(), labels = [];
  for (const edge of edges) {
    const a = pills.get(edge.from), b = pills.get(edge.to);
    if (!a || !b) continue;
    const pair = `${a.frame.name} ${b.frame.name}`, isOn = chosen === edge.from;
    const kind = isOn ? "on" : chosen ? (edge.main ? "rest" : null) : edge.main ? "main" : a.frame !== b.frame && !pairs.has(pair) ? "rest" : null;
    if (!kind) continue;
    pairs.add(pair);
    const path = kind === "rest" && !edge.main ? curve(a.frame, b.frame, a.frame.y < b.frame.y ? 7 : -7) : curve(a, b);
    svg.append(s("path", { class: "edge " + kind, d: path, "marker-end": `url(#${kind === "on" ? "tip-on" : kind === "main" ? "tip-main" : "tip"})` }));
    if (kind === "main" && a.frame !== b.frame) labels.push([a, b, edge.events.find((event) => ["created", "edited", "deleted", "accepted"].includes(event)) ?? edge.events[0]]);
  }
  for (const [phase, pill] of pills) {
    const value = pill.node.count ?? 0, choose = () => { ui.phase = chosen === phase ? null : phase; draw(); };
    const group = s("g", { class: `pill tone-${TONES.has(tone(phase)) ? tone(phase) : "absent"}${value ? "" : " zero"}${chosen === phase ? " chosen" : ""}`, role: "button", tabindex: 0,
      "data-row": "", "data-k": "phase " + phase, "aria-pressed": String(chosen === phase), "aria-label": `${phase}, ${count(value, "record")}${mine === phase ? ", the selected record" : ""}`,
      click: choose, keydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(); } } },
    s("rect", { x: pill.x, y: pill.y, width: pill.width, height: pill.height, rx: pill.node.activity ? 7 : 10 }),
    s("text", { x: pill.x + 10, y: pill.y + pill.height / 2 + 4 }, `${ACTIVITIES.get(pill.node.activity)?.[0] ?? ""} ${pill.node.activity ?? phase}`.trim()),
    phase !== "absent" && s("text", { class: "pill-count", x: pill.x + pill.width - 10, y: pill.y + pill.height / 2 + 4 }, number(value)));
    if (mine === phase) group.append(s("circle", { class: "here", cx: pill.x, cy: pill.y + pill.height / 2, r: 5 }));
    svg.append(group);
  }
  for (const [a, b, words] of labels) {
    const right = b.x > a.x, x = right ? (a.x + a.width + b.x) / 2 : (a.x + b.x + b.width) / 2;
    svg.append(s("text", { class: "edge-label", x, y: (a.y + a.height / 2 + b.y + b.height / 2) / 2 + (right ? -6 : 14) }, words));
  }
  return svg;
}

function drawStates() {
  const nodes = data.diagram?.nodes ?? [], chosen = nodes.find((node) => node.phase === ui.phase);
  const meanings = new Map(data.diagram?.events ?? []);
  const steps = (data.diagram?.edges ?? []).filter((edge) => edge.from === ui.phase);
  return [h("div", { class: "scroll", "data-k": "scroll diagram", tabindex: 0, role: "group", "aria-label": "State diagram" }, drawDiagram()),
    chosen ? section("", h("div", { class: "card-head" }, chip(chosen.phase), h("button", { type: "button", class: "link", click: () => rows.show({ state: chosen.phase }) },
      `show ${count(chosen.count ?? 0, "record")}`)),
    table("Events of the phase", ["event", "next phase", "meaning"], steps.flatMap((edge) => edge.events.map((event) =>
      h("tr", {}, cell("event", h("b", {}, event)), cell("next phase", edge.to === edge.from ? h("span", { class: "dim" }, "stays") : chip(edge.to)), cell("meaning", meanings.get(event) ?? ""))))))
      : h("p", { class: "dim" }, "Choose a phase to see the events that can happen there. Bold arrows are the path without any failure or conflict.")];
}

// ---- The whole page ------------------------------------------------------------------------------------------------------

const VIEWS = new Map([["now", drawNow], ["conflicts", drawConflicts], ["journal", drawJournal], ["timeline", drawTimeline], ["states", drawStates]]);

/** Draws the page from the data and the selection; scrolls and focus stay. */
function draw() {
  const focused = document.activeElement?.dataset?.k, scrolls = new Map();
  const withKey = () => [...document.querySelectorAll("[data-k]")].filter((element) => element.dataset.k === focused);
  const place = focused ? withKey().indexOf(document.activeElement) : -1;
  for (const box of document.querySelectorAll(".scroll")) scrolls.set(box.dataset.k, [box.scrollLeft, box.scrollTop]);
  const pageTop = document.scrollingElement.scrollTop;
  document.title = plain(`${data.title ?? "Tidemark"} – inspector`);
  byID("store").replaceChildren(h("bdi", {}, data.title ?? ""));
  byID("source").replaceChildren(h("span", {}, data.source ?? ""));
  byID("tabs").replaceChildren(...TABS.map(([tab, words, amount], index) => h("button", { type: "button", role: "tab", id: "tab-" + tab, "aria-selected": String(ui.tab === tab),
    "aria-controls": "view-" + tab, "aria-keyshortcuts": index + 1, tabindex: ui.tab === tab ? 0 : -1, "data-k": "tab " + tab, click: () => openTab(tab) },
  words, amount() > 0 && h("span", { class: tab === "now" || tab === "conflicts" ? "badge alarm" : "badge" }, number(amount())))));
  for (const [tab] of TABS) byID("view-" + tab).hidden = ui.tab !== tab;
  const view = VIEWS.get(ui.tab);
  if (view) byID("view-" + ui.tab).replaceChildren(...[view()].flat(3).filter(Boolean)); else rows.draw();
  byID("record").replaceChildren(...drawRecord().flat(3).filter(Boolean));
  document.body.classList.toggle("has-record", ui.selected !== null);
  for (const part of [document.querySelector(".views"), byID("tabs")]) part.inert = ui.selected !== null && !wide.matches;
  drawTrouble();
  for (const box of document.querySelectorAll(".scroll")) [box.scrollLeft, box.scrollTop] = scrolls.get(box.dataset.k) ?? [0, 0];
  if (focused) withKey()[place]?.focus({ preventScroll: true });
  document.scrollingElement.scrollTop = pageTop;
}

function drawTrouble() {
  const trouble = data.actions === true && source.act ? data.trouble : null, box = byID("trouble");
  box.hidden = !trouble;
  if (!trouble) { box.replaceChildren(); return; }
  box.replaceChildren(...[action(trouble.offline ? "Go online" : "Go offline", "offline", { on: !trouble.offline }),
    action(trouble.hold ? "Stop holding" : "Hold requests", "hold", { on: !trouble.hold }), action(`Deliver ${trouble.held ?? 0}`, "deliver", {}, { isOff: !trouble.held }),
    action(trouble.losesNext ? "Next answer is lost" : "Lose next answer", "loseNextAnswer", {}, { isOff: trouble.losesNext === true })].filter(Boolean));
}

function openTab(tab) {
  ui.tab = tab;
  draw();
  if (tab === "records") rows.filter();
  byID("tab-" + tab).scrollIntoView({ block: "nearest", inline: "nearest" });
}

function moveFocus(step) {
  if (ui.tab === "records") { rows.move(ui.cursor + step, false); return; }
  const stops = [...byID("view-" + ui.tab).querySelectorAll("[data-row]")], now = stops.indexOf(document.activeElement);
  const next = stops[now < 0 ? (step > 0 ? 0 : stops.length - 1) : Math.max(0, Math.min(now + step, stops.length - 1))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byID("help").open) return;
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "radio";
  if (event.key === "Escape") {
    if (isTyping) { event.target.blur(); byID("list").focus(); } else if (ui.selected) unselect();
    return;
  }
  if (isTyping) return;
  const inList = event.target.id === "list", inTabs = event.target.getAttribute("role") === "tab", page = Math.floor(byID("list").clientHeight / rows.height);
  const shift = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (event.key === "j") moveFocus(1);
  else if (event.key === "k") moveFocus(-1);
  else if (event.key === "/") { openTab("records"); byID("search").focus(); byID("search").select(); }
  else if (event.key === "?") byID("help").showModal();
  else if (/^[1-6]$/.test(event.key)) openTab(TABS[event.key - 1][0]);
  else if (inTabs && shift) { openTab(TABS[(TABS.findIndex(([tab]) => tab === ui.tab) + shift + TABS.length) % TABS.length][0]); byID("tab-" + ui.tab).focus(); }
  else if (inList && event.key === "ArrowDown") rows.move(ui.cursor + 1, false);
  else if (inList && event.key === "ArrowUp") rows.move(ui.cursor - 1, false);
  else if (inList && event.key === "PageDown") rows.move(ui.cursor + page, false);
  else if (inList && event.key === "PageUp") rows.move(ui.cursor - page, false);
  else if (inList && event.key === "Home") rows.move(0, false);
  else if (inList && event.key === "End") rows.move(rows.found.length - 1, false);
  else if (inList && event.key === "Enter" && ui.cursor >= 0) rows.move(ui.cursor);
  else return;
  event.preventDefault();
}

function listen() {
  document.addEventListener("keydown", pressed);
  byID("help-button").addEventListener("click", () => byID("help").showModal());
  byID("filters").addEventListener("submit", (event) => event.preventDefault());
  for (const [id, key] of [["search", "search"], ["of-collection", "collection"], ["of-state", "state"]]) {
    byID(id).addEventListener("input", (event) => { ui[key] = event.target.value; byID("list").scrollTop = 0; rows.filter(); });
  }
  let isDue = false;
  byID("list").addEventListener("scroll", () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => { isDue = false; rows.draw(); });
  });
  for (const change of [wide, matchMedia("(pointer: coarse)")]) change.addEventListener("change", draw);
  addEventListener("resize", () => rows.draw());
  byID("legend").append(...[...STATES, ...ACTIVITIES].flatMap(([name, [glyph, words]]) => [h("dt", {}, glyph, " ", name), h("dd", {}, words)]),
    ...[...CHANGES].flatMap(([words, glyph]) => [h("dt", {}, glyph), h("dd", {}, words)]));
}

// ---- Where the data come from --------------------------------------------------------------------------------------------

/** The data inside the page. Nothing is requested, and there is no action. */
const embedded = {
  load() {
    const text = byID("data").textContent;
    byID("data").remove();
    return JSON.parse(text);
  },
};

/** The data of the app that serves the page: read every two seconds, and a record's details when it is selected. */
function served() {
  let token = null, revision = null;
  const request = async (path, body) => {
    const answer = await fetch(path, { method: body ? "POST" : "GET", cache: "no-store", credentials: "omit", redirect: "error",
      headers: { ...token && { Authorization: `Bearer ${token}` }, ...body && { "Content-Type": "application/json" } }, body: body && JSON.stringify(body) });
    if (answer.status === 204) return null;
    if (answer.status === 401) throw new Error("This session has ended. Open the inspector's link again.");
    const result = await answer.json();
    if (!answer.ok) throw new Error(result.message ?? `The app answered ${answer.status}.`);
    return result;
  };
  const open = async () => {
    const code = location.hash.slice(1);
    history.replaceState(null, "", location.pathname + location.search);
    if (!code) throw new Error("This page needs the link that the inspector prints. It can be used once.");
    token = (await request("/api/session", { code })).token;
  };
  const select = async ({ collection, pk }) => {
    try {
      const record = await request(`/api/record?collection=${encodeURIComponent(collection)}&pk=${encodeURIComponent(pk)}`);
      if (record) remember(record);
      if (record && isSelected(collection, pk)) draw();
    } catch (error) { say(error.message); }
  };
  const poll = async () => {
    try {
      const next = await request("/api/data" + (revision === null ? "" : `?since=${encodeURIComponent(revision)}`));
      if (next === null) return null;
      revision = next.revision;
      return next;
    } catch (error) { say(error.message); return null; }
  };
  const update = async () => {
    const next = await poll(), record = detail(ui.selected);
    if (!next) return;
    if (record) next.records = [...next.records ?? [], record];
    take(next);
    if (ui.selected) await select(ui.selected);
  };
  return {
    async load() {
      await open();
      const loaded = await poll();
      const again = async () => { await update(); setTimeout(again, 2000); };
      setTimeout(again, 2000);
      return loaded;
    },
    select,
    async act(name, body) {
      try {
        const answer = await request("/api/act", { action: name, ...body });
        say(answer?.message ?? "Done.");
        if (name === "resolve" || name === "keepBoth") ui.answers.delete(`${body.collection} ${body.pk}`);
      } catch (error) { say(error.message); }
      await update();
      draw();
    },
  };
}

async function start() {
  source = document.documentElement.hasAttribute("data-live") ? served() : embedded;
  listen();
  try {
    if (source !== embedded) draw();
    const loaded = await source.load();
    if (!loaded || typeof loaded !== "object") throw new Error("The page has no data.");
    const problem = items(loaded.problems).find((one) => typeof one.pk === "string");
    if (problem && wide.matches) ui.selected = { collection: problem.collection, pk: problem.pk };
    take(loaded);
    if (ui.selected) source.select?.(ui.selected);
  } catch (error) {
    draw();
    say(`The data of this page can't be read: ${error.message}`);
  }
}

start();
})();
</script>
</body>
</html>

"""###

    /// The meaning of each event of a record, as JSON text.
    static let events = ###"""
[["abandoned","A create was discarded, and the server can't have it."],["accepted","The server accepted the upload, and nothing was changed here meanwhile."],["acceptedEarlier","The server accepted the upload, and more was changed here meanwhile."],["acceptedGone","The server accepted the delete, and the record was created again here meanwhile."],["acceptedThenDeleted","The server accepted the upload, and the record was deleted there afterwards; nothing was changed here meanwhile."],["adopted","The server's version won, or a merge that left nothing to send."],["cancelledCreateRefused","The server did not accept a create, and the record was deleted here meanwhile."],["clashed","A row was received that conflicts with the local change."],["conflicted","The server did not accept the upload: the record has another version there."],["converged","A row was received that contains the whole local change."],["createAbandoned","A create was discarded, and the server may have it."],["created","The app created a record."],["createdAgain","The app created a record again that was deleted here before the server confirmed it."],["createdAgainUnconfirmed","The app created a never confirmed record again that is held as deleted, and its upload is unconfirmed."],["createdUnconfirmed","The app created a record again that is held as deleted, and its upload is unconfirmed."],["deleted","The app deleted a record that the server has, or may have."],["deletedUnconfirmed","The app deleted a held record whose upload is unconfirmed."],["discarded","The app deleted a record that the server can't have."],["edited","The app changed a record."],["editedUnconfirmed","The app changed a held record whose upload is unconfirmed."],["erased","The server's deletion won."],["escalatedToUser","The user has to decide."],["exhausted","The record reached its limit of tries."],["gone","The server no longer has the record."],["idempotencyLost","The server may no longer repeat its answer to the upload."],["lost","The outcome of the upload is unknown."],["rebased","A row was received, and the local change stays on top of it."],["recreated","The local edit won over the server's deletion."],["refreshed","A row was received, and the record has no local change."],["refused","The server refused the upload for its content."],["refusedEarlier","The server refused an upload that was changed here meanwhile."],["refusedUnconfirmed","The server refused a whole request, and may have accepted this upload before."],["repeated","A row was received whose version is known already."],["resigned","The local change was discarded, and the confirmed version is shown."],["resumed","A held record is retried, and its upload is unconfirmed."],["retried","A held record is retried, and it has no upload."],["reverted","The app changed a record back to the confirmed content, and no upload is pending."],["revived","A merged content won over the local deletion."],["seen","A row was received while an upload is unconfirmed; it is applied after the outcome is known."],["sent","The upload was put into a POST."],["stale","A decision about facts that have changed after it was made."]]
"""###
}
