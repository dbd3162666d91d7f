import {
  addCampaign,
  deleteCampaign,
  getCampaign,
  listCampaigns,
  updateCampaign,
} from '../../../campaigns/campaign.service.ts'
import type { Campaign } from '../../../campaigns/campaign.ts'
import type { HttpContext } from '../../../context.ts'
import { shortUrlOf } from '../../../links/short-url.ts'
import type { Resource, Values } from './resource.ts'

export function campaignResource(ctx: HttpContext): Resource<Campaign> {
  const { config } = ctx
  const fields: Resource<Campaign>['fields']['make'] = [
    { name: 'name', label: 'Name', maxLength: 200 },
    {
      name: 'slug',
      label: 'Rotator slug',
      maxLength: 64,
      optional: true,
      hint: `${config.baseUrl}/r/{slug} sends each visitor to a random link of this campaign.`,
    },
    { name: 'public', label: 'Publish a public list of these links', type: 'check' },
  ]
  return {
    words: {
      section: '/console/campaigns',
      name: 'campaign',
      many: 'Campaigns',
      about: 'Group links and see their combined clicks.',
      deletion: 'Its links are kept.',
    },
    columns: ['Rotator', 'List'],
    nameOf: ({ name }) => name,
    cellsOf: ({ slug, public: open }) => [
      slug === null ? { text: 'none' } : { address: shortUrlOf(`${config.baseUrl}/r`, slug) },
      { text: open ? 'public' : 'private' },
    ],
    fields: { make: fields, change: fields },
    valuesOf: ({ name, slug, public: open }) => ({
      name,
      slug: slug ?? '',
      public: open ? 'on' : '',
    }),
    opens: true,
    list: (accountId, page) => listCampaigns(ctx.db, accountId, page),
    get: (accountId, id) => getCampaign(ctx.db, accountId, id),
    add: (accountId, values) => addCampaign(ctx.db, accountId, inputOf(values)),
    update: (accountId, id, values) => updateCampaign(ctx.db, accountId, id, inputOf(values)),
    remove: (accountId, id) => deleteCampaign(ctx.db, accountId, id),
  }
}

function inputOf({ name = '', slug = '', public: open = '' }: Values) {
  return { name, slug: slug.trim() || null, public: open !== '' }
}
