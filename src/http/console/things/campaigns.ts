import type { Campaign } from '../../../campaigns/campaign.ts'
import { shortUrlOf } from '../../../links/short-url.ts'
import type { Services } from '../../../services.ts'
import type { Thing, Values } from './thing.ts'

export function campaignThing({ campaigns, config }: Services): Thing<Campaign> {
  const fields: Thing<Campaign>['fields']['make'] = [
    { name: 'name', label: 'Name', maxLength: 200 },
    {
      name: 'slug',
      label: 'Slug',
      maxLength: 64,
      optional: true,
      hint: `With one, ${config.baseUrl}/r/ and this leads to any of its links.`,
    },
    { name: 'public', label: 'Everybody may see the list of its links', type: 'check' },
  ]
  return {
    words: {
      section: '/console/campaigns',
      name: 'campaign',
      many: 'Campaigns',
      about: 'A campaign is a group of links with statistics of its own. A link may be in several.',
      deletion: 'Its links stay.',
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
    list: campaigns.list,
    get: campaigns.get,
    add: (accountId, values) => campaigns.add(accountId, inputOf(values)),
    update: (accountId, id, values) => campaigns.update(accountId, id, inputOf(values)),
    remove: campaigns.delete,
  }
}

function inputOf({ name = '', slug = '', public: open = '' }: Values) {
  return { name, slug: slug.trim() || null, public: open !== '' }
}
