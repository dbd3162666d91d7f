// Updates a page's statistics when links are clicked. See `live.ts` for the elements. Follows the feed
// only while the page is visible.

import { refresh } from './live.js'
import { find, findAll } from './page.js'

/** The pause before the feed is requested again after it was rejected. */
const RETRY_SECONDS = 60
/** The pause after a refresh. A refresh requests the whole page, so it should include several clicks. */
const REFRESH_SECONDS = 3
/** The pause after a refresh that could not replace everything, for example because of selected text. */
const RETRY_REFRESH_SECONDS = 15

const note = find('[data-live-clicks]')
/** The all-time clicks that the page shows. */
let shownClicks = Number(note?.getAttribute('data-live-total'))
/** The all-time clicks in the feed. */
let latestClicks = shownClicks
/** @type {EventSource | undefined} */
let source
let isRefreshing = false

if (note) {
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

/** @param {{ clicks: number, visitors: number | null }} statistics */
function show({ clicks, visitors }) {
  const element = note?.querySelector('[data-live-visitors]')
  if (element) {
    const { lang } = document.documentElement
    element.textContent = visitors === null ? '–' : visitors.toLocaleString(lang)
  }
  latestClicks = clicks
  void catchUp()
}

/** Refreshes the page until it shows the latest clicks. */
async function catchUp() {
  if (isRefreshing) return
  isRefreshing = true
  while (shownClicks !== latestClicks && !document.hidden) {
    const clicks = latestClicks
    const isCurrent = await refresh()
    if (isCurrent) shownClicks = clicks
    const seconds = isCurrent ? REFRESH_SECONDS : RETRY_REFRESH_SECONDS
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds))
  }
  isRefreshing = false
}

/** @param {'on' | 'off'} state */
function setState(state) {
  for (const part of findAll('[data-live-state]')) part.hidden = part.dataset.liveState !== state
}
