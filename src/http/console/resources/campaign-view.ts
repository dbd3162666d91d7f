import { html, type SafeHtml } from '@remix-run/html-template'
import {
  type Analytics,
  analyticsFiles,
  analyticsKeys,
  analyticsSection,
} from '../analytics/section.ts'
import { copyable } from '../shell/copyable.ts'
import { consolePage, type Frame } from '../shell/layout.ts'
import { addLinkForm, type GroupItem, groupItems } from './group-items.ts'
import type { PageLinks } from './page-links.ts'

export type CampaignPage = {
  campaign: { id: number; name: string }
  /** The URL of the rotator, and of the public list, if they exist. */
  rotator: string | undefined
  list: string | undefined
  analytics: Analytics
  rows: readonly GroupItem[]
  pages: PageLinks
  added: string | undefined
  adding: { value: string; error: string } | undefined
}

/** Renders a campaign: its URLs, statistics and links. */
export function campaignPage(frame: Frame, page: CampaignPage): string {
  const { campaign, analytics, rows, pages, added, adding } = page
  const section = '/console/campaigns'
  const path = `${section}/${campaign.id}`
  const items = {
    title: 'Links',
    nothing: 'No links yet.',
    head: 'Short link',
    columns: ['Destination'],
    rows,
    pages,
    added,
  }
  return consolePage(frame, {
    title: campaign.name,
    section,
    files: analyticsFiles(analytics),
    keys: analyticsKeys(),
    body: html`<p class="eyebrow"><a href="${section}">Campaigns</a></p>
<div class="head"><h1><bdi>${campaign.name}</bdi></h1><p class="actions"><a class="button small" href="${path}/edit" data-key="E" aria-keyshortcuts="E">Edit</a> <a class="button quiet small" href="#items">Links</a> <a class="button quiet small" href="${path}/delete">Delete</a></p></div>
${analyticsSection(frame, analytics)}
<section class="panel" aria-labelledby="addresses">
<h2 id="addresses">URLs</h2>
<dl class="facts">
<dt>Rotator</dt><dd>${address('rotator', page.rotator, 'Off – add a slug to enable.')}</dd>
<dt>Public list</dt><dd>${address('list', page.list, 'Off')}</dd>
</dl>
</section>
${groupItems(frame, items, addLinkForm(frame, { action: `${path}/links`, adding }))}`,
  })
}

function address(id: string, text: string | undefined, nothing: string): SafeHtml {
  return text === undefined ? html`${nothing}` : copyable({ id, href: text })
}
