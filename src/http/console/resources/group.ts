import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { csrfField } from '../../../pages/field.ts'
import { t } from '../../../texts.ts'
import { listAnalyticsKeys, renderAnalyticsSection } from '../analytics/section.ts'
import { buildUrl } from '../analytics/state.ts'
import { chooseStatus, loadAnalytics } from '../analytics/statistics.ts'
import { toGroupSubject } from '../analytics/subject.ts'
import { type NamedLink, renderLinkName } from '../kit/link-name.ts'
import { readPage, renderPageLinks } from '../kit/pager.ts'
import { renderButtonForm, renderPanel } from '../kit/parts.ts'
import { type ConsoleRequest, defineSubject, idOf, type Page } from '../kit/subject.ts'
import { renderTable } from '../kit/table.ts'
import type { Frame } from '../shell/layout.ts'
import { type LinkGroup, registerLinkPicker, renderLinkSearch } from './add-links.ts'
import { type ConsoleScope, renderHead } from './list.ts'

const PER_PAGE = 25

type Slice = { limit: number; offset: number }
type Slices<Item> = { entries: Item[]; total: number }
/** A page of a group's items, by its number. */
type Items<Item> = Slices<Item> & { page: number }

/** A campaign or channel: a group of links and other items, with statistics of their clicks. */
export type Group<Entry extends { id: number; name: string }, Item, State> = {
  kind: 'campaign' | 'channel'
  /** @throws AppError `not_found` */
  get: (scope: ConsoleScope, id: number) => Promise<Entry>
  getLinkIds: (scope: ConsoleScope, id: number) => Promise<number[]>
  listItems: (scope: ConsoleScope, id: number, slice: Slice) => Promise<Slices<Item>>
  addLink: LinkGroup['addLink']
  texts: (entry: Entry) => {
    many: string
    items: string
    itemsTitle: string
    noItems: string
    /** The headings of an item's name and of its other cells. */
    heads: readonly [string, ...string[]]
  }
  /** Returns how an item is listed. `removal` is the path of its removal, after the group's. */
  describe: (
    item: Item,
    context: { frame: Frame; entry: Entry; state: State | undefined },
  ) => {
    name: string
    link: NamedLink
    href: string
    cells: readonly (SafeHtml | string)[]
    removal: string
  }
  /** Returns what only this kind has. `state` is that of a rejected form of its own. */
  renderParts: (request: ConsoleRequest, entry: Entry, state: State | undefined) => Promise<Parts>
}

type Parts = {
  title: SafeHtml
  /** Content above the statistics. */
  intro?: SafeHtml
  /** Renders what is between the statistics and the items. */
  renderDetails?: (frame: Frame) => SafeHtml
  /** Renders another form that adds items. */
  renderForm?: (frame: Frame) => SafeHtml | null
  /** Renders what is below the items, if there are any. */
  renderFooter?: (frame: Frame) => SafeHtml | null
}

/**
 * Registers the page of a group with its statistics and items, and the page that adds links. Returns
 * the function that renders the page with a rejected form of its kind.
 */
export function registerGroup<Entry extends { id: number; name: string }, Item, State>(
  app: FastifyInstance,
  ctx: HttpContext,
  group: Group<Entry, Item, State>,
): (request: ConsoleRequest, state: State) => Promise<Page> {
  const { kind, get, listItems } = group
  const section = `/console/${kind}s` as const
  const url = `/${kind}s/:id`
  const { page } = defineSubject(app, section)

  page(url, 'viewer', (request) => render(request))
  registerLinkPicker(app, group)
  return render

  async function render(request: ConsoleRequest, state?: State): Promise<Page> {
    const { scope } = request
    const entry = await get(scope, idOf(request))
    const linkIds = await group.getLinkIds(scope, entry.id)
    const subject = toGroupSubject(kind, scope.accountId, entry, linkIds)
    const [analytics, items, parts] = await Promise.all([
      loadAnalytics(ctx, request, subject),
      readItems(scope, entry.id, readPage(request.query)),
      group.renderParts(request, entry, state),
    ])
    const { title, intro, renderDetails, renderForm, renderFooter } = parts
    const texts = group.texts(entry)
    const head = { section, id: entry.id, many: texts.many, title }
    const hrefOf = (page: number) =>
      buildUrl(`${subject.path}#items`, [
        ...analytics.pageState.parameters,
        ...(page > 1 ? [['page', String(page)] as const] : []),
      ])
    return {
      title: entry.name,
      keys: [['E', t('resource.edit'), `${subject.path}/edit`], ...listAnalyticsKeys()],
      ...(!state && { status: chooseStatus(analytics) }),
      body: (frame) => html`${renderHead(frame, { ...head, jump: ['#items', texts.items] })}
${intro}
${renderAnalyticsSection(frame, analytics)}
${renderDetails?.(frame)}
${renderPanel('items', texts.itemsTitle, [
  renderLinkSearch(frame, subject.path),
  renderForm?.(frame) ?? null,
  renderItems(
    frame,
    { texts, describe: (item) => group.describe(item, { frame, entry, state }) },
    items,
    subject.path,
  ),
  items.total > 0 ? (renderFooter?.(frame) ?? null) : null,
  renderPageLinks({ ...items, limit: PER_PAGE, hrefOf }),
])}`,
    }
  }

  /** Reads a page of the items, at most the last one. */
  async function readItems(scope: ConsoleScope, id: number, page: number): Promise<Items<Item>> {
    const slice = { limit: PER_PAGE, offset: (page - 1) * PER_PAGE }
    const { entries, total } = await listItems(scope, id, slice)
    const last = Math.max(1, Math.ceil(total / PER_PAGE))
    return page > last ? readItems(scope, id, last) : { entries, total, page }
  }
}

type AnyGroup<Item> = Group<{ id: number; name: string }, Item, never>
type ItemTexts<Item> = {
  texts: ReturnType<AnyGroup<Item>['texts']>
  describe: (item: Item) => ReturnType<AnyGroup<Item>['describe']>
}

function renderItems<Item>(
  frame: Frame,
  { texts, describe }: ItemTexts<Item>,
  { entries, page }: Items<Item>,
  path: string,
): SafeHtml {
  const { heads, itemsTitle, noItems } = texts
  const [nameHead, ...otherHeads] = heads
  const rows = entries.map((entry) => describe(entry))
  return renderTable(
    rows,
    [
      {
        head: nameHead,
        cell: ({ link, href }) =>
          renderLinkName(link, { href: frame.may('GET', href) ? href : undefined }),
      },
      ...otherHeads.map((head, index) => ({
        head,
        cell: ({ cells }: (typeof rows)[number]) =>
          html`<bdi class="address clamped">${cells[index]}</bdi>`,
      })),
      {
        head: t('resource.actions'),
        hidden: true,
        cell: ({ name, removal }) =>
          renderButtonForm(frame, {
            action: `${path}/${removal}${page > 1 ? `?page=${page}` : ''}`,
            text: t('resource.remove'),
            subject: name,
          }),
      },
    ],
    { empty: noItems, className: 'cards even', label: itemsTitle },
  )
}

/** Renders a form with one field, or nothing if the user's role does not allow to submit it. */
export function renderAddForm(
  frame: Frame,
  action: string,
  field: SafeHtml | null,
): SafeHtml | null {
  if (!frame.may('POST', action)) return null
  return html`<form method="post" action="${action}" class="adding">${csrfField(frame.csrf)}
${field}
<button class="button quiet">${t('resource.add')}</button>
</form>`
}

/** Returns the page to which the removal of an item leads. */
export function getItemsPath(path: string, query: Record<string, unknown>): string {
  const page = readPage(query)
  return `${path}${page > 1 ? `?page=${page}` : ''}#items`
}
