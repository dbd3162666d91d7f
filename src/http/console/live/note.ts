import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'

/**
 * Renders a note that a page's statistics are live, with the number of visitors in the last five
 * minutes. It is hidden without scripts.
 *
 * `live-clicks.js` follows the feed at `feedUrl`, which `routes.ts` serves. When the all-time clicks
 * in the feed differ from those on the page, initially `data-live-total`, the script uses `live.js` to
 * refresh every element that has both a `data-live` attribute and an id. The note must not be inside
 * such an element.
 *
 * | attribute | element |
 * |---|---|
 * | `data-live-visitors` | shows the number of visitors, or `–` while it is unknown |
 * | `data-live-state="on"` | shown while the feed is open |
 * | `data-live-state="off"` | shown while the feed is paused |
 */
export function renderLiveNote(feedUrl: string, allTimeClicks: number): SafeHtml {
  return html`<p class="small soft live" id="live-note" data-live-clicks="${feedUrl}" data-live-total="${allTimeClicks}" hidden>
<span data-live-state="on">${t('live.live')} · ${t('live.visitors')} <strong data-live-visitors>${t('live.unknown')}</strong></span>
<span data-live-state="off" hidden>${t('live.paused')}</span>
</p>`
}
