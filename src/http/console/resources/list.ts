import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { AppError } from '../../../errors.ts'
import { findText, t, tHtml } from '../../../texts.ts'
import { readPage, renderPageLinks } from '../kit/pager.ts'
import {
  renderBlank,
  renderDecisionForm,
  renderLink,
  renderNotices,
  renderUntitledPanel,
} from '../kit/parts.ts'
import { type ConsoleRequest, defineSubject, idOf, type Page } from '../kit/subject.ts'
import { type Column, renderTable } from '../kit/table.ts'
import { describeLabeledError } from '../shell/describe-error.ts'
import type { Frame } from '../shell/layout.ts'
import { renderSectionIcon, type Section } from '../shell/navigation.ts'

const PER_PAGE = 25

/** The account that asks, and the services of this process. */
export type ConsoleScope = ConsoleRequest['scope']

/** A kind of resource that an account owns, with a list and a page that confirms a deletion. */
export type ListedResource<Entry extends { id: number }> = {
  /** The path of the list. */
  section: Section
  words: () => {
    /** Plural heading, such as `Pixels`. */
    many: string
    /** The title of the form for a new resource. */
    new: string
    /** The text of an empty list. */
    none: string
    /** The purpose of the resources, in a sentence or two. */
    about: string
    /** The consequences of deleting a resource, in a sentence or two. */
    deletion: string
  }
  nameOf: (entry: Entry) => string
  /** Returns the columns of the list after the name, with times in the user's time zone. */
  columns: (timeZone: string) => readonly Column<Entry>[]
  /** Whether each resource has a page with details at `{section}/{id}`. */
  hasDetailsPage?: boolean
  list: (
    scope: ConsoleScope,
    slice: { limit: number; offset: number },
  ) => Promise<{ entries: Entry[]; total: number }>
  /** @throws AppError `not_found` */
  get: (scope: ConsoleScope, id: number) => Promise<Entry>
  remove: (scope: ConsoleScope, id: number) => Promise<unknown>
}

/** Registers the list of one kind of resource, and the page that confirms a deletion. */
export function registerListedResource<Entry extends { id: number }>(
  app: FastifyInstance,
  resource: ListedResource<Entry>,
): void {
  const { section, list, get, remove } = resource
  const { page, action } = defineSubject(app, section)
  const url = section.slice('/console'.length)

  page(url, 'viewer', async ({ scope, query, session }) => {
    const { user } = session
    const number = readPage(query)
    const slice = { limit: PER_PAGE, offset: (number - 1) * PER_PAGE }
    const { entries, total } = await list(scope, slice)
    const hrefOf = (other: number) => (other === 1 ? section : `${section}?page=${other}`)
    const { many, about, none, ...words } = resource.words()
    return {
      title: many,
      body: (frame) => html`<div class="head">
<h1>${many}</h1>${renderLink(frame, `${section}/new`, words.new, { className: 'button' })}
</div>
<p class="soft">${about}</p>
${entries.length > 0 ? renderUntitledPanel(many, renderEntries(frame, resource, entries, user.timeZone)) : renderEmptyState(frame, section, none)}
${renderPageLinks({ page: number, limit: PER_PAGE, total, hrefOf })}`,
    }
  })

  page(`${url}/:id/delete`, 'editor', (request) => renderDeletion(request))
  action(
    `${url}/:id/delete`,
    'editor',
    async (request) => {
      await remove(request.scope, idOf(request))
      return { to: section, toast: 'deleted' }
    },
    renderDeletion,
  )

  /** Renders the consequences of a deletion, and the reason if it was rejected. */
  async function renderDeletion(request: ConsoleRequest, rejection?: AppError): Promise<Page> {
    const entry = await get(request.scope, idOf(request))
    const name = resource.nameOf(entry)
    const { many, deletion } = resource.words()
    return {
      title: t('resource.deleteNamed', { name }),
      body: (frame) => html`<p class="eyebrow"><a href="${section}">${many}</a></p>
<h1>${tHtml('resource.askToDelete', { name: html`<bdi>${name}</bdi>` })}</h1>
${renderUntitledPanel(t('resource.delete'), [
  renderNotices({ error: rejection && describeLabeledError(rejection) }),
  html`<p>${deletion} ${t('resource.permanent')}</p>`,
  renderDecisionForm(frame, `${section}/${entry.id}/delete`, [
    html`<button class="button danger">${t('resource.delete')}</button>`,
    renderCancelLink(section),
  ]),
])}`,
    }
  }
}

/** Renders an empty list with an example of what to create. */
function renderEmptyState(frame: Frame, section: Section, none: string): SafeHtml {
  const example = findText('resource.examples', section.slice(section.lastIndexOf('/') + 1)) ?? ''
  const create = renderLink(frame, `${section}/new`, t('resource.createOne'), {
    className: 'button quiet',
  })
  return renderBlank(none, example, create, renderSectionIcon(section))
}

type Head = {
  section: Section
  id: number
  /** The plural heading of the list, such as `Overlays`. */
  many: string
  /** The heading of the page. */
  title: SafeHtml
  /** A link to a part that is further down a page with statistics. */
  jump?: readonly [href: string, text: string]
}

/** Renders the heading of a resource's page, with links to its form and its deletion. */
export function renderHead(frame: Frame, { section, id, many, title, jump }: Head): SafeHtml {
  const className = jump ? 'button quiet small' : 'button quiet'
  const edit = { className, ...(jump && { key: 'E' }) }
  return html`<p class="eyebrow"><a href="${section}">${many}</a></p>
<div class="head">${title}<p class="actions">
${renderLink(frame, `${section}/${id}/edit`, t('resource.edit'), edit)}
${jump ? html`<a class="${className}" href="${jump[0]}">${jump[1]}</a>\n` : null}${renderLink(frame, `${section}/${id}/delete`, t('resource.delete'), { className })}
</p></div>`
}

function renderEntries<Entry extends { id: number }>(
  frame: Frame,
  { section, nameOf, columns, hasDetailsPage }: ListedResource<Entry>,
  entries: readonly Entry[],
  timeZone: string,
): SafeHtml {
  const renderChange = (entry: Entry, change: 'edit' | 'delete') =>
    renderLink(frame, `${section}/${entry.id}/${change}`, t(`resource.${change}`), {
      className: 'change',
      subject: nameOf(entry),
    })
  const shown: Column<Entry>[] = [
    {
      head: t('resource.name'),
      cell: (entry) => {
        const href = `${section}/${entry.id}${hasDetailsPage ? '' : '/edit'}`
        return html`<bdi>${renderLink(frame, href, nameOf(entry)) ?? nameOf(entry)}</bdi>`
      },
    },
    ...columns(timeZone).map((column) => ({
      ...column,
      cell: (entry: Entry) => isolateText(column.cell(entry)),
    })),
    {
      head: t('resource.actions'),
      hidden: true,
      className: 'changes',
      cell: (entry) => html`${renderChange(entry, 'edit')} ${renderChange(entry, 'delete')}`,
    },
  ]
  return renderTable(entries, shown, { className: 'cards entries' })
}

/** Isolates the direction of a text, which a user may have entered. */
function isolateText(content: ReturnType<Column<never>['cell']>): typeof content {
  return typeof content === 'string' ? html`<bdi>${content}</bdi>` : content
}

/** Renders the link that leaves a form. */
export function renderCancelLink(href: string): SafeHtml {
  return html`<a class="button quiet" href="${href}">${t('resource.cancel')}</a>`
}
