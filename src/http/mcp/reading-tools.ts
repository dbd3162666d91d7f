import { Type } from '@sinclair/typebox'
import { listDomains } from '../../domains/domain.service.ts'
import { getLink } from '../../links/link.service.ts'
import { titleOf } from '../../links/link.ts'
import { campaigns } from '../../resources/campaigns.ts'
import { addScanMarker } from '../../urls/scan-marker.ts'
import { formatLink } from './link-fields.ts'
import { defineTool, LinkId } from './tool.ts'

const PAGE = 100
const Page = Type.Object({ page: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })) })

const getQrCode = defineTool({
  name: 'get_qr_code',
  title: 'Get a QR code',
  description: 'Draws the QR code of a link as a PNG image.',
  access: { scope: 'read', boundKeys: true },
  effect: 'reads',
  input: Type.Object({
    id: LinkId,
    size: Type.Optional(
      Type.Integer({ minimum: 100, maximum: 1000, description: 'Pixels. Default: 400.' }),
    ),
  }),
  async run({ scope, ip, input: { id, size = 400 } }) {
    const link = await getLink(scope, id)
    const { shortUrl } = link
    const code = { payload: addScanMarker(shortUrl), foreground: undefined, background: undefined }
    const image = await scope.codeImages.drawUnstored(code, { format: 'png', size }, ip)
    const named = { id, shortUrl, title: titleOf(link) }
    return { text: `QR code of ${formatLink(named)}`, data: { link: named, size }, image }
  },
})

const listDomainsTool = defineTool({
  name: 'list_domains',
  title: 'List domains',
  description: `Lists the branded domains of the account, ${PAGE} a page.`,
  access: { scope: 'full' },
  effect: 'reads',
  input: Page,
  async run({ scope, input: { page = 1 } }) {
    const { entries, total } = await listDomains(scope, toSlice(page))
    const domains = entries.map(({ id, host, origin }) => ({ id, domain: host, url: origin }))
    const lines = domains.map(({ domain }) => domain)
    return { text: [`${total} domains.`, ...lines].join('\n'), data: { total, domains } }
  },
})

const listCampaigns = defineTool({
  name: 'list_campaigns',
  title: 'List campaigns',
  description: `Lists the campaigns of the account, ${PAGE} a page.`,
  access: { scope: 'read' },
  effect: 'reads',
  input: Page,
  async run({ scope, input: { page = 1 } }) {
    const { entries, total } = await campaigns.list(scope, toSlice(page))
    const listed = entries.map(({ id, name }) => ({ id, name }))
    const lines = listed.map(({ id, name }) => `${id} ${name}`)
    return {
      text: [`${total} campaigns.`, ...lines].join('\n'),
      data: { total, campaigns: listed },
    }
  },
})

function toSlice(page: number) {
  return { limit: PAGE, offset: PAGE * (page - 1) }
}

export const readingTools = [getQrCode, listDomainsTool, listCampaigns]
