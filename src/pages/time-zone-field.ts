import { html, type SafeHtml } from '@remix-run/html-template'

/** A hidden field called `timeZone`, which a script fills in with the time zone of the browser. */
export function timeZoneField(nonce: string): SafeHtml {
  return html`<input type="hidden" name="timeZone" id="time-zone" autocomplete="off">
<script nonce="${nonce}">
document.getElementById('time-zone').value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? ''
</script>`
}
