import { html, type SafeHtml } from '@remix-run/html-template'
import { PLAIN_RESOURCES } from '../../../resources/resources.ts'
import { type TextsIn, t } from '../../../texts.ts'
import { renderIcon } from './icon.ts'

const groups = [
  {
    key: 'analytics',
    sections: [
      { path: '/console', key: 'overview', icon: 'home' },
      { path: '/console/analytics', key: 'analytics', icon: 'chart' },
    ],
  },
  {
    key: 'create',
    sections: [
      { path: '/console/links', key: 'links', icon: 'link' },
      { path: '/console/codes', key: 'codes', icon: 'code' },
      { path: '/console/bios', key: 'bios', icon: 'page' },
      { path: '/console/campaigns', key: 'campaigns', icon: 'flag' },
      { path: '/console/channels', key: 'channels', icon: 'layers' },
    ],
  },
  {
    key: 'settings',
    sections: [
      { path: '/console/domains', key: 'domains', icon: 'globe' },
      { path: '/console/splashes', key: 'splashes', icon: 'window' },
      { path: '/console/overlays', key: 'overlays', icon: 'card' },
      { path: '/console/members', key: 'members', icon: 'people' },
      { path: '/console/keys', key: 'keys', icon: 'key' },
      { path: '/console/webhooks', key: 'webhooks', icon: 'hook' },
      { path: '/console/import', key: 'transfer', icon: 'transfer' },
    ],
  },
] as const

const admin = { path: '/console/operator', key: 'admin', icon: 'shield' } as const

/** The path of a section, or of a page that belongs to none. */
export type Section =
  | (typeof groups)[number]['sections'][number]['path']
  | typeof admin.path
  | '/console/account'
  | '/console/accounts'
  | '/console/settings'
  | '/console/search'

/** Whether the user is an admin, and what the role may open. */
type Viewer = { isAdmin: boolean; may: (method: 'GET', path: string) => boolean }

type Item = { path: string; key: TextsIn<'shell.sections'>; icon: Parameters<typeof renderIcon>[0] }

/** Returns the sections of a group. Resources without a place of their own follow the overlays. */
function listSections({ key, sections }: (typeof groups)[number]): readonly Item[] {
  if (key !== 'settings') return sections
  const items = PLAIN_RESOURCES.map(({ pages: { section: path, icon } }) => {
    return { path, key: path.slice('/console/'.length), icon } as Item
  })
  const [domains, splashes, overlays, ...others] = sections
  return [domains, splashes, overlays, ...items, ...others]
}

/**
 * Renders the links to the sections that the user's role may open, in groups. `section` is the
 * current section.
 */
export function renderNavigation(section: Section, { isAdmin, may }: Viewer): SafeHtml {
  return html`<nav aria-label="${t('shell.navigation')}">${groups.map((group) => {
    const { key } = group
    const items = listSections(group)
    const visibleItems = (isAdmin && key === 'settings' ? [...items, admin] : items).filter(
      ({ path }) => may('GET', path),
    )
    const name = t(`shell.groups.${key}`)
    return html`<div class="nav-group" role="group" aria-label="${name}"><p class="nav-name" aria-hidden="true">${name}</p>
${visibleItems.map((item) => renderNavItem(item, section))}</div>`
  })}</nav>`
}

/** Renders the icon of a section, or nothing if it has none. */
export function renderSectionIcon(section: Section): SafeHtml | null {
  const items = groups.flatMap(({ sections }): readonly Item[] => sections)
  const item = items.find(({ path }) => path === section)
  return item ? renderIcon(item.icon) : null
}

/** Returns the names and paths of sections for the search: those whose names contain every word of a text. */
export function findSections(text: string, isAdmin: boolean): { name: string; path: string }[] {
  const items = groups.flatMap(listSections)
  const visibleItems = isAdmin ? [...items, admin] : items
  return visibleItems
    .map(({ key, path }) => ({ name: t(`shell.sections.${key}`), path }))
    .filter(({ name }) => matchesWords(name, text))
}

/** Returns whether a name contains every word of a text. */
export function matchesWords(name: string, text: string): boolean {
  const words = text.trim().toLowerCase().split(/\s+/)
  return words.every((word) => name.toLowerCase().includes(word))
}

function renderNavItem({ path, key, icon: shape }: Item, section: Section): SafeHtml {
  return html`<a href="${path}"${path === section ? html` aria-current="page"` : null}>${renderIcon(shape)}${t(`shell.sections.${key}`)}</a>
`
}
