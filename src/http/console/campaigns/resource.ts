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
import { t, tAll } from '../../../texts.ts'
import type { Resource, Values } from '../resources/resource.ts'

/** Defines campaigns as a kind of resource. */
export function createCampaignResource(ctx: HttpContext): Resource<Campaign> {
  const { config } = ctx
  return {
    get words() {
      return { section: '/console/campaigns', ...tAll('campaign.words') } as const
    },
    get columns() {
      return [t('campaign.columns.rotator'), t('campaign.columns.list')]
    },
    nameOf: ({ name }) => name,
    cellsOf: ({ slug, public: isPublic }) => [
      slug === null
        ? { text: t('resource.none') }
        : { url: shortUrlOf(`${config.baseUrl}/r`, slug) },
      { text: isPublic ? t('campaign.public') : t('campaign.private') },
    ],
    get fields() {
      const hint = t('campaign.slugHint', { url: `${config.baseUrl}/r/{slug}` })
      const fields = [
        { name: 'name', label: t('resource.name'), maxLength: 200 },
        { name: 'slug', label: t('campaign.slug'), maxLength: 64, optional: true, hint },
        { name: 'public', label: t('campaign.publish'), type: 'check' },
      ] as const
      return { create: fields, edit: fields }
    },
    valuesOf: ({ name, slug, public: isPublic }) => ({
      name,
      slug: slug ?? '',
      public: isPublic ? 'on' : '',
    }),
    hasDetailsPage: true,
    list: (accountId, page) => listCampaigns(ctx.db, accountId, page),
    get: (accountId, id) => getCampaign(ctx.db, accountId, id),
    add: async (accountId, values) => {
      await ctx.storage.require(ctx.db, accountId)
      return addCampaign(ctx.db, accountId, toCampaignInput(values))
    },
    update: async (accountId, id, values) => {
      await ctx.storage.require(ctx.db, accountId)
      return updateCampaign(ctx.db, accountId, id, toCampaignInput(values))
    },
    remove: (accountId, id) => deleteCampaign(ctx.db, accountId, id),
  }
}

function toCampaignInput({ name = '', slug = '', public: checkbox = '' }: Values) {
  return { name, slug: slug.trim() || null, public: checkbox !== '' }
}
