import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import type { Frame } from '../shell/layout.ts'

/**
 * What can be done to all links that are picked, with tags to choose from. `address` is the list's, to
 * come back to. The boxes in the table belong to this form.
 */
export function changeForm(
  { csrf }: Frame,
  { address, tags }: { address: string; tags: readonly string[] },
): SafeHtml {
  return html`<form class="bulk" id="change" method="post" action="/console/links/change" aria-label="Change the picked links">${csrfField(csrf)}
<input type="hidden" name="back" value="${address}">
<p class="picked" id="picked" role="status">With the picked links:</p>
<div class="bulk-tag"><label for="change-tag" class="hidden-text">Tag to add or remove</label>
<input id="change-tag" name="tag" maxlength="50" autocomplete="off" dir="auto" placeholder="Tag" list="tag-names">
<datalist id="tag-names">${tags.map((tag) => html`<option value="${tag}"></option>`)}</datalist>
<button class="button quiet small" name="action" value="tag">Add tag</button>
<button class="button quiet small" name="action" value="untag">Remove tag</button></div>
<div class="bulk-buttons"><button class="button quiet small" name="action" value="disable">Disable</button>
<button class="button quiet small" name="action" value="enable">Enable</button>
<button class="button danger small" name="action" value="delete">Delete …</button></div>
</form>`
}
