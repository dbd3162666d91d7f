import { html, type SafeHtml } from '@remix-run/html-template'

/** Renders a hidden field `timeZone` that a script fills in with the browser's time zone. */
export function timeZoneField(nonce: string): SafeHtml {
  return html`<input type="hidden" name="timeZone" id="time-zone" autocomplete="off">
<script nonce="${nonce}">
document.getElementById('time-zone').value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? ''
</script>`
}
