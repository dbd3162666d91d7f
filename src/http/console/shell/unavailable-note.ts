import { html } from '@remix-run/html-template'

/** Shown instead of statistics while the server that stores them is down. */
export const unavailableNote = html`<p class="notice" role="status">Statistics are temporarily unavailable. Your links work, and no clicks are lost.</p>`
