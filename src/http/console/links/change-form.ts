import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { t } from '../../../texts.ts'
import type { Frame } from '../shell/layout.ts'
import type { View } from './view.ts'

type FormContext = {
  /** The URL of the list to return to. */
  listUrl: string
  /** The tags and campaigns to select from. */
  tags: readonly string[]
  campaigns: readonly { id: number; name: string }[]
  view: Pick<View, 'status'>
  /** The number of results, as far as they were counted. */
  total: number
  /** Whether there are more than `total` results. */
  hasMore: boolean
  /** Whether the actions may apply to all results. */
  areAllOffered: boolean
}

/**
 * Renders the form with the actions on selected links. The checkboxes in the table belong to it. If
 * there are several pages, but not too many, the actions can apply to all results.
 */
export function renderChangeForm(
  { csrf }: Frame,
  { listUrl, tags, campaigns, view, total, hasMore, areAllOffered }: FormContext,
): SafeHtml {
  const isArchive = view.status === 'archived'
  return html`<form class="bulk" id="change" method="post" action="/console/links/change" aria-label="${t('links.bulk')}">${csrfField(csrf)}
<input type="hidden" name="back" value="${listUrl}">
<p class="picked" id="picked" role="status" data-none="${t('links.noneSelectedYet')}" data-some="${t('links.selected')}">${t('links.bulk')}</p>
${
  areAllOffered
    ? html`<label class="all-results"><input type="checkbox" class="check" name="all" value="yes"> ${hasMore ? t('links.allOfMoreResults') : t('links.allResults', { n: total })}</label>`
    : null
}
<div class="bulk-tag"><label for="change-tag" class="hidden-text">${t('links.tag')}</label>
<input id="change-tag" name="tag" maxlength="50" autocomplete="off" dir="auto" placeholder="${t('links.tag')}" list="tag-names">
<datalist id="tag-names">${tags.map((tag) => html`<option value="${tag}"></option>`)}</datalist>
<button class="button quiet small" name="action" value="tag">${t('links.addTag')}</button>
<button class="button quiet small" name="action" value="untag">${t('links.removeTag')}</button></div>
<div class="bulk-buttons"><button class="button quiet small" name="action" value="disable">${t('links.disable')}</button>
<button class="button quiet small" name="action" value="enable">${t('links.enable')}</button>
<button class="button quiet small" name="action" value="${isArchive ? 'unarchive' : 'archive'}">${isArchive ? t('links.unarchive') : t('links.archive')}</button>
<button class="button danger small" name="action" value="delete">${t('links.delete')}</button></div>
<details class="bulk-more"><summary>${t('links.moreActions')}</summary>
${
  campaigns.length > 0
    ? html`<div class="bulk-part"><label for="change-campaign">${t('links.campaign')}</label>
<select id="change-campaign" name="campaign"><option value=""></option>${campaigns.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select>
<button class="button quiet small" name="action" value="campaign">${t('links.addToCampaign')}</button>
<button class="button quiet small" name="action" value="uncampaign">${t('links.removeFromCampaign')}</button></div>`
    : null
}
<div class="bulk-part"><label for="change-expires">${t('links.expiresOn')}</label>
<input type="date" id="change-expires" name="expires" aria-describedby="change-expires-hint">
<button class="button quiet small" name="action" value="expire">${t('links.setExpiration')}</button>
<span class="small soft" id="change-expires-hint">${t('links.expiresHint')}</span></div>
<div class="bulk-part"><button class="button quiet small" name="action" value="csv">${t('links.exportCsv')}</button>
<button class="button quiet small" name="action" value="jsonl">${t('links.exportJsonl')}</button></div>
</details>
</form>`
}
