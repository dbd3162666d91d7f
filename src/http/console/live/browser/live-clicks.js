// Shows new clicks in a page's statistics as they happen; see `note.ts` for the elements. Follows the feed only
// while the page is visible.

import { refresh } from './live.js'

const RETRY_SECONDS = 60
/** Each refresh requests the whole page, so several clicks are combined in one refresh. */
const REFRESH_SECONDS = 3
/** After a refresh that could not replace everything, for example because of selected text. */
const RETRY_REFRESH_SECONDS = 15

const note = document.querySelector('[data-live-clicks]')
/** The all-time clicks that the page shows. */
let shown = Number(note?.getAttribute('data-live-total'))
let latest = shown
/** @type {EventSource | undefined} */
let source
let isRefreshing = false

if (note instanceof HTMLElement) {
  note.hidden = false
  document.addEventListener('visibilitychange', () => (document.hidden ? stop() : start()))
  if (!document.hidden) start()
}

function start() {
  if (source && source.readyState !== EventSource.CLOSED) return
  const opened = new EventSource(note?.getAttribute('data-live-clicks') ?? '')
  source = opened
  opened.addEventListener('message', ({ data }) => {
    setState('on')
    show(JSON.parse(data))
  })
  opened.addEventListener('error', () => {
    // The browser reconnects by itself unless the request was rejected.
    if (opened.readyState !== EventSource.CLOSED || source !== opened) return
    setState('off')
    setTimeout(() => document.hidden || start(), 1000 * RETRY_SECONDS)
  })
}

function stop() {
  source?.close()
  source = undefined
}

/** @param {{ clicks: number, visitors: number | null }} figures */
function show({ clicks, visitors }) {
  const target = note?.querySelector('[data-live-visitors]')
  if (target)
    target.textContent =
      visitors === null ? '–' : visitors.toLocaleString(document.documentElement.lang)
  latest = clicks
  void catchUp()
}

async function catchUp() {
  if (isRefreshing) return
  isRefreshing = true
  while (shown !== latest && !document.hidden) {
    const target = latest
    const isCurrent = await refresh()
    if (isCurrent) shown = target
    const seconds = isCurrent ? REFRESH_SECONDS : RETRY_REFRESH_SECONDS
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds))
  }
  isRefreshing = false
}

/** @param {string} state */
function setState(state) {
  for (const part of note?.querySelectorAll('[data-live-state]') ?? []) {
    if (part instanceof HTMLElement) part.hidden = part.dataset.liveState !== state
  }
}
