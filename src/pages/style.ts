import { createHash } from 'node:crypto'
import { html, type SafeHtml } from '@remix-run/html-template'

export const lightColors: SafeHtml = html`  --paper: #f5f4f0;
  --card: #fff;
  --line: #e3e1da;
  --edge: #858c88;
  --ink: #1b201e;
  --soft: #58605c;
  --accent: #0b6b5a;
  --accent-strong: #07503f;
  --on-accent: #fff;
  --tint: #edf4f1;
  --alert: #a1261c;
  --alert-tint: #fbefed;
  --shadow: 0 1px 2px rgb(27 32 30 / 5%), 0 12px 40px -12px rgb(27 32 30 / 14%);
`

export const darkColors: SafeHtml = html`  --paper: #111413;
  --card: #1a1e1c;
  --line: #2c3230;
  --edge: #6f7a75;
  --ink: #e8ecea;
  --soft: #a4aea9;
  --accent: #62cdb4;
  --accent-strong: #8ce0cb;
  --on-accent: #06241d;
  --tint: #1f2a27;
  --alert: #ff9d92;
  --alert-tint: #332120;
  --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 16px 48px -12px rgb(0 0 0 / 60%);
`

/**
 * The style sheet of all pages. Text and accents have a contrast of at least 4.5:1, and borders of
 * inputs 3:1, in light and dark mode. Click targets are at least 44 px high.
 */
export const style: SafeHtml = html`
:root {
  color-scheme: light dark;
${lightColors}}
@media (prefers-color-scheme: dark) {
:root {
${darkColors}}
}
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  min-height: 100vh;
  min-height: 100dvh;
  display: flex;
  flex-direction: column;
  align-items: center;
  padding: clamp(1rem, 5vw, 3rem) clamp(1rem, 4vw, 2rem) 1rem;
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif;
  overflow-wrap: anywhere;
}
main {
  width: 100%;
  max-width: 27rem;
  margin: auto;
  padding: clamp(1.5rem, 6vw, 2.5rem);
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 1.25rem;
  box-shadow: var(--shadow);
}
.wide main { max-width: 38rem; }
.bleed { display: block; padding: 0; }
.bleed main { max-width: none; margin: 0; padding: 0; border: 0; border-radius: 0; box-shadow: none; }
.bleed iframe { display: block; width: 100%; height: 100vh; height: 100dvh; border: 0; background: #fff; }
.skip { position: fixed; top: .75rem; inset-inline-start: .75rem; z-index: 3; }
.skip:not(:focus) { clip-path: inset(50%); pointer-events: none; }
footer { padding-top: 2rem; color: var(--soft); font-size: .875rem; }
footer p { display: flex; align-items: center; gap: .5rem; margin: 0; }
.mark { flex: none; }
.brand { display: flex; align-items: center; gap: .5rem; margin: 0 0 2rem; font-weight: 650; }
.brand .mark { width: 2rem; height: 2rem; }
h1, h2 { margin: 0; line-height: 1.25; letter-spacing: -.015em; text-wrap: balance; font-weight: 650; }
h1 { font-size: clamp(1.5rem, 1.3rem + 1vw, 1.875rem); }
h2 { font-size: 1.1875rem; }
p { margin: .75rem 0 0; text-wrap: pretty; }
a { color: var(--accent); text-underline-offset: .2em; }
a:hover { color: var(--accent-strong); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .25rem; }
.lead { color: var(--soft); font-size: 1.0625rem; }
.soft { color: var(--soft); }
.small { font-size: .875rem; }
.text { white-space: pre-line; }
.eyebrow { margin: 0 0 .5rem; color: var(--soft); font-size: .8125rem; font-weight: 600; letter-spacing: .04em; }
.host { color: var(--accent); }
.hidden-text { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.actions { display: flex; flex-wrap: wrap; align-items: center; gap: .75rem; margin-top: 1.75rem; }
.button {
  display: inline-flex;
  align-items: center;
  justify-content: center;
  min-height: 2.875rem;
  padding: .5rem 1.375rem;
  border: 1px solid transparent;
  border-radius: .75rem;
  background: var(--accent);
  color: var(--on-accent);
  font: inherit;
  font-weight: 600;
  line-height: 1.3;
  text-align: center;
  text-decoration: none;
  cursor: pointer;
}
.button:hover { background: var(--accent-strong); color: var(--on-accent); }
.button:focus-visible { border-radius: .75rem; }
.button.quiet { background: transparent; border-color: var(--edge); color: var(--ink); }
.button.quiet:hover { background: var(--tint); }
.button.full { width: 100%; }
form { margin-top: 1.5rem; }
.field { margin-top: 1.125rem; }
label, legend { display: block; padding: 0; font-weight: 600; font-size: .9375rem; }
input, textarea {
  display: block;
  width: 100%;
  min-height: 2.875rem;
  margin-top: .375rem;
  padding: .5rem .875rem;
  border: 1px solid var(--edge);
  border-radius: .75rem;
  background: var(--card);
  color: var(--ink);
  font: inherit;
}
textarea { resize: vertical; }
input:focus-visible, textarea:focus-visible { outline-offset: 0; border-radius: .75rem; }
[aria-invalid='true'] { border-color: var(--alert); }
.hint { margin-top: .375rem; color: var(--soft); font-size: .875rem; }
.error { margin-top: .375rem; color: var(--alert); font-size: .875rem; font-weight: 600; }
.notice { margin-top: 1.25rem; padding: .75rem 1rem; border-radius: .75rem; background: var(--alert-tint); color: var(--alert); font-size: .9375rem; }
form .button.full { margin-top: 1.5rem; }
fieldset { margin: 0; padding: 0; border: 0; }
.reason { display: flex; gap: .75rem; align-items: start; padding: .5rem 0; font-weight: 400; cursor: pointer; }
.reason input { flex: none; width: 1.25rem; height: 1.25rem; min-height: 0; margin: .125rem 0 0; accent-color: var(--accent); }
.reason .hint { display: block; margin: 0; }
.report { margin-top: 1.75rem; }
.inset { margin-top: 1.5rem; padding: 1rem 1.125rem; border-radius: .875rem; background: var(--tint); }
.inset > :first-child { margin-top: 0; }
.address, code { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace; font-size: .875rem; overflow-wrap: anywhere; }
.address { direction: ltr; unicode-bidi: isolate; }
[dir='rtl'] .address { text-align: right; }
h2.next { margin-top: 2rem; }
.next + .inset { margin-top: .75rem; }
.facts { display: grid; grid-template-columns: auto 1fr; gap: .375rem 1.25rem; align-items: baseline; margin: 1.25rem 0 0; font-size: .9375rem; }
dt { color: var(--soft); }
dd { margin: 0; }
.facts dd { grid-column: 2; }
pre { margin: .5rem 0 0; white-space: pre-wrap; }
.key { user-select: all; font-size: 1rem; }
.scroll { margin-top: .75rem; max-height: 10rem; overflow-y: auto; }
.picture { display: block; max-width: 100%; max-height: 18rem; margin: 0 auto 1.5rem; border-radius: .875rem; object-fit: contain; }
.list { margin: 1.75rem 0 0; padding: 0; list-style: none; }
.list li + li { margin-top: .75rem; }
.row { display: block; padding: .875rem 1.125rem; min-height: 2.875rem; border: 1px solid var(--line); border-radius: .875rem; color: var(--ink); text-decoration: none; }
.row:hover { border-color: var(--accent); background: var(--tint); color: var(--ink); }
.row:focus-visible { border-radius: .875rem; }
.row strong { display: block; font-weight: 600; }
.row .address { color: var(--accent); }
.center { text-align: center; }
.pager, .countdown { display: flex; align-items: center; justify-content: space-between; gap: .75rem; margin-top: 1.75rem; }
.countdown { margin-top: 1.125rem; }
.pager .button, .countdown .button { flex: none; padding-inline: 1rem; }
.pager > :only-child { margin: 0 auto; }
.avatar svg, .avatar img { display: block; width: 5rem; height: 5rem; margin: 0 auto 1.25rem; }
.avatar img { width: 7rem; height: 7rem; border-radius: 50%; object-fit: cover; }
.beacon { position: absolute; width: 1px; height: 1px; opacity: 0; }
@media (max-width: 24rem) { .actions .button { width: 100%; } }
@media (forced-colors: active) { .button { border-color: currentColor; } }
`

/** The SHA-256 hash of the style sheet in base64, for the policy of static pages. */
export const styleHash: string = createHash('sha256').update(String(style)).digest('base64')
