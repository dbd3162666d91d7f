import { html, type SafeHtml } from '@remix-run/html-template'
import { liveMessages } from './messages.ts'

/** The scripts of a page with `renderLiveNote`. */
export const liveFiles = ['live.js', 'live-clicks.js']

/**
 * Shows that a page's statistics are live, and the visitors of the last five minutes. Hidden without scripts.
 *
 * `live-clicks.js` follows the feed at `feedUrl`, which is the path of the page with `/live` (`routes.ts`). Whenever the feed's all-time clicks
 * differ from `data-live-total`, it has `live.js` refresh every element that has both a `data-live` attribute
 * and an id. The note itself must not be inside such an element.
 *
 * | attribute | element |
 * |---|---|
 * | `data-live-visitors` | receives the number of visitors, or `–` while it is unknown |
 * | `data-live-state="on"`, `data-live-state="off"` | shown while the feed is open / paused, respectively |
 */
export function renderLiveNote(feedUrl: string, allTimeClicks: number): SafeHtml {
  const { visitors, unknown, live, paused } = liveMessages
  return html`<p class="small soft live" id="live-note" data-live-clicks="${feedUrl}" data-live-total="${allTimeClicks}" hidden>
<span data-live-state="on">${live} · ${visitors} <strong data-live-visitors>${unknown}</strong></span>
<span data-live-state="off" hidden>${paused}</span>
</p>`
}
