import { html } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { listQrCodes } from '../../qr/qr.service.ts'
import { bios } from '../../resources/bios.ts'
import {
  addItemToChannel,
  type ChannelItem,
  findItems,
  getChannelLinkIds,
  type ItemRef,
  type ItemType,
  listChannelItems,
  removeItemFromChannel,
} from '../../resources/channel-items.ts'
import { type Channel, channels } from '../../resources/channels.ts'
import { t } from '../../texts.ts'
import type { ChoiceGroup } from './kit/fields.ts'
import { defineForm } from './kit/form.ts'
import { renderNotices, renderSwatch } from './kit/parts.ts'
import { defineSubject, idOf } from './kit/subject.ts'
import { getItemsPath, registerGroup, renderAddForm } from './resources/group.ts'
import type { ConsoleScope } from './resources/list.ts'
import { registerResourcePages } from './resources/pages.ts'

const PATH = '/console/channels'
/** The maximum number of bio pages, and of codes, to select from: the newest. */
const MAX_CHOICES = 200

/** The form that adds a bio page or code. */
const itemForm = defineForm({ item: { label: 'channel.addItem', type: 'select' } })

type ItemState = Parameters<typeof itemForm.render>[1]

/** Registers channels: their list and forms, and a channel's statistics and items. */
export function registerChannelRoutes(app: FastifyInstance, ctx: HttpContext): void {
  registerResourcePages(app, ctx, channels, {
    hasDetailsPage: true,
    columns: () => [
      {
        head: t('channel.color'),
        cell: ({ color }) => (color ? html`${renderSwatch(color)}${color}` : t('resource.none')),
      },
      {
        head: t('channel.starred'),
        cell: ({ starred }) => (starred ? t('channel.isStarred') : t('channel.notStarred')),
      },
    ],
  })
  const { submit, action } = defineSubject(app, PATH)

  const renderChannel = registerGroup<Channel, ChannelItem, ItemState>(app, ctx, {
    kind: 'channel',
    get: channels.get,
    getLinkIds: getChannelLinkIds,
    listItems: listChannelItems,
    addLink: (scope, id, linkId) => addItem(scope, id, { type: 'links', id: linkId }),
    texts: () => ({
      many: t('channel.words.many'),
      items: t('channel.items'),
      itemsTitle: t('channel.items'),
      noItems: t('channel.noItems'),
      heads: [t('channel.name'), t('channel.type')],
    }),
    describe: ({ type, id, title, link }) => ({
      name: title,
      link: { metaTitle: title, shortUrl: link },
      href: {
        links: `/console/links/${id}`,
        bio: `/console/bios/${id}/edit`,
        qr: `/console/codes/${id}`,
      }[type],
      cells: [t(`channel.types.${type}`)],
      removal: `items/${type}/${id}/remove`,
    }),
    renderParts: async ({ scope }, { id, name, color, starred, description }, state = {}) => {
      const choices = await readChoices(scope)
      return {
        title: html`<h1>${renderSwatch(color)}<bdi>${name}</bdi></h1>`,
        intro: html`${starred ? html`<p class="small soft">${t('channel.isStarred')}</p>` : null}
${description ? html`<p class="text soft" dir="auto">${description}</p>` : null}`,
        renderForm: (frame) =>
          choices.length > 0
            ? renderAddForm(
                frame,
                `${PATH}/${id}/items`,
                itemForm.renderField(frame, 'item', state, { choices }),
              )
            : renderNotices({ error: state.errors?.item }),
      }
    },
  })

  submit(
    '/channels/:id/items',
    'editor',
    itemForm,
    async (request, values) => {
      const { scope } = request
      const { id } = await channels.get(scope, idOf(request))
      const item = await findItem(scope, values.item)
      if (!item) throw new AppError('not_found', { field: 'item', text: 'channel.itemMissing' })
      await addItem(scope, id, item)
      return { to: `${PATH}/${id}#items`, toast: 'added' }
    },
    renderChannel,
  )

  action('/channels/:id/items/:type/:item/remove', 'editor', async (request) => {
    const { scope, params, query } = request
    const id = idOf(request)
    const ref = parseItemRef(`${params.type}-${params.item}`)
    // A malformed reference removes nothing, but an unknown channel is still a 404.
    if (ref) await removeItemFromChannel(scope, id, ref)
    else await channels.get(scope, id)
    return { to: getItemsPath(`${PATH}/${id}`, query) }
  })
}

async function addItem(scope: ConsoleScope, channelId: number, { type, id }: ItemRef) {
  await scope.storage.require(scope)
  await addItemToChannel(scope, channelId, { type, id })
}

async function findItem(scope: ConsoleScope, value: string): Promise<ChannelItem | undefined> {
  const ref = parseItemRef(value)
  const [item] = ref ? await findItems(scope, [ref]) : []
  return item
}

/** Returns the newest bio pages and codes to select from. */
async function readChoices(scope: ConsoleScope): Promise<ChoiceGroup[]> {
  const newest = { limit: MAX_CHOICES, offset: 0 }
  const [pages, codes] = await Promise.all([bios.list(scope, newest), listQrCodes(scope, newest)])
  const groups = {
    bio: pages.entries.map(({ id, title }) => ({ value: `bio-${id}`, label: title })),
    qr: codes.entries.map(({ id, name }) => ({ value: `qr-${id}`, label: name })),
  }
  return (['bio', 'qr'] as const)
    .filter((type) => groups[type].length > 0)
    .map((type) => ({ label: t(`channel.choices.${type}`), choices: groups[type] }))
}

/** Parses a reference to an item, such as `qr-7`. Returns undefined if it is malformed. */
function parseItemRef(text: string): ItemRef | undefined {
  const parts = /^(links|bio|qr)-([1-9]\d{0,14})$/.exec(text)
  return parts ? { type: parts[1] as ItemType, id: Number(parts[2]) } : undefined
}
