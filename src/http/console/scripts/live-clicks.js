// Updates a page's statistics when links are clicked: the dot pulses once a click, and figures count up.
// See `live.ts` for the elements. Follows the feed only while the page is visible.

import { refresh } from './live.js'
import { find, findAll } from './page.js'

/** The pause before the feed is requested again after it was rejected. */
const RETRY_SECONDS = 60
/** The pause after a refresh of the whole page, and after one that could not replace everything. */
const REFRESH_SECONDS = 3
const RETRY_REFRESH_SECONDS = 15
/** The duration of a pulse, and of counting up. */
const DURATION_MS = 600
const MAX_PULSES = 10

const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
const { lang } = document.documentElement

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
  const element = find('[data-live-visitors]')
  if (element) element.textContent = visitors === null ? '–' : visitors.toLocaleString(lang)
  const iterations = Math.min(MAX_PULSES, clicks - latestClicks)
  if (iterations > 0 && !isStill) {
    const pulse = [{ boxShadow: '0 0 0 0 var(--live)' }, { boxShadow: '0 0 0 0.5rem transparent' }]
    find('.live-dot')?.animate(pulse, { duration: DURATION_MS, iterations })
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
    const before = listFigures().map(readNumber)
    const isCurrent = await refresh()
    if (!isStill) countUp(before)
    if (isCurrent) shownClicks = clicks
    const seconds = isCurrent ? REFRESH_SECONDS : RETRY_REFRESH_SECONDS
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds))
  }
  isRefreshing = false
}

/** Returns the figures that are no rates. */
function listFigures() {
  return findAll('#report .figure').filter(({ textContent }) => !textContent.includes('%'))
}

/** @param {HTMLElement} figure */
function readNumber({ textContent }) {
  return Number(textContent.replace(/\D/g, ''))
}

/** Counts figures up from their previous numbers. @param {number[]} before */
function countUp(before) {
  const start = performance.now()
  for (const [index, figure] of listFigures().entries()) {
    const [from = 0, to] = [before[index], readNumber(figure)]
    const step = (/** @type {number} */ now) => {
      const share = Math.min(1, Math.max(0, (now - start) / DURATION_MS))
      figure.textContent = Math.round(from + (to - from) * share).toLocaleString(lang)
      if (share < 1) requestAnimationFrame(step)
    }
    if (to > from) requestAnimationFrame(step)
  }
}

/** @param {'on' | 'off'} state */
function setState(state) {
  for (const part of findAll('[data-live-state]')) part.hidden = part.dataset.liveState !== state
}
