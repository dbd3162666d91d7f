import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { listAnalyticsKeys, renderAnalyticsSection } from '../analytics/section.ts'
import type { Analytics } from '../analytics/statistics.ts'
import type { PageLinks } from '../kit/pager.ts'
import { renderCopyable } from '../kit/parts.ts'
import { type GroupItem, renderAddLinkForm, renderGroupItems } from '../resources/group-items.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'

export type CampaignPage = {
  campaign: { id: number; name: string }
  /** The URL of the rotator, if the campaign has a slug. */
  rotator: string | undefined
  /** The URL of the public list, if the campaign is public. */
  list: string | undefined
  analytics: Analytics
  rows: readonly GroupItem[]
  pages: PageLinks
  /** The short link that was just added. */
  addedTitle: string | undefined
  /** The submitted short link that could not be added, and the error. */
  rejectedLink: { value: string; error: string } | undefined
}

/** Renders a campaign: its URLs, statistics and links. */
export function renderCampaignPage(frame: Frame, page: CampaignPage): string {
  const { campaign, analytics, rows, pages, addedTitle, rejectedLink } = page
  const section = '/console/campaigns'
  const path = `${section}/${campaign.id}`
  const items = {
    title: t('campaign.linksInCampaign'),
    emptyText: t('campaign.noLinks'),
    firstColumn: t('campaign.shortLink'),
    otherColumns: [t('campaign.destination')],
    rows,
    pages,
    addedTitle,
  }
  return renderConsolePage(frame, {
    title: campaign.name,
    section,
    keys: listAnalyticsKeys(),
    body: html`<p class="eyebrow"><a href="${section}">${t('campaign.words.many')}</a></p>
<div class="head"><h1><bdi>${campaign.name}</bdi></h1><p class="actions"><a class="button small" href="${path}/edit" data-key="E" aria-keyshortcuts="E">${t('resource.edit')}</a> <a class="button quiet small" href="#items">${t('campaign.links')}</a> <a class="button quiet small" href="${path}/delete">${t('resource.delete')}</a></p></div>
${renderAnalyticsSection(frame, analytics)}
<section class="panel" aria-labelledby="urls">
<h2 id="urls">${t('campaign.urls')}</h2>
<dl class="facts">
<dt>${t('campaign.rotator')}</dt><dd>${renderUrl('rotator', page.rotator, t('campaign.rotatorOff'))}</dd>
<dt>${t('campaign.publicList')}</dt><dd>${renderUrl('list', page.list, t('campaign.off'))}</dd>
</dl>
</section>
${renderGroupItems(frame, items, renderAddLinkForm(frame, { action: `${path}/links`, rejectedLink }))}`,
  })
}

function renderUrl(id: string, url: string | undefined, offText: string): SafeHtml {
  return url === undefined ? html`${offText}` : renderCopyable({ id, href: url })
}
