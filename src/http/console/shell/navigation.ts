import { html, type SafeHtml } from '@remix-run/html-template'
import { icon } from './icon.ts'
import { shellMessages } from './messages.ts'

const { groups: groupNames, sections: names } = shellMessages

const groups = [
  {
    name: groupNames.create,
    sections: [
      { path: '/console/links', name: names.links, icon: 'link' },
      { path: '/console/codes', name: names.codes, icon: 'code' },
      { path: '/console/bios', name: names.bios, icon: 'page' },
      { path: '/console/campaigns', name: names.campaigns, icon: 'flag' },
      { path: '/console/channels', name: names.channels, icon: 'layers' },
    ],
  },
  {
    name: groupNames.analytics,
    sections: [
      { path: '/console', name: names.overview, icon: 'home' },
      { path: '/console/analytics', name: names.analytics, icon: 'chart' },
    ],
  },
  {
    name: groupNames.settings,
    sections: [
      { path: '/console/domains', name: names.domains, icon: 'globe' },
      { path: '/console/splashes', name: names.splashes, icon: 'window' },
      { path: '/console/overlays', name: names.overlays, icon: 'card' },
      { path: '/console/pixels', name: names.pixels, icon: 'target' },
      { path: '/console/members', name: names.members, icon: 'people' },
      { path: '/console/keys', name: names.keys, icon: 'key' },
      { path: '/console/webhooks', name: names.webhooks, icon: 'hook' },
      { path: '/console/import', name: names.transfer, icon: 'transfer' },
    ],
  },
] as const

const admin = { path: '/console/operator', name: names.admin, icon: 'shield' } as const

export type Section =
  | (typeof groups)[number]['sections'][number]['path']
  | typeof admin.path
  | '/console/account'
  | '/console/accounts'
  | '/console/settings'
  | '/console/search'

type Item = { path: string; name: string; icon: Parameters<typeof icon>[0] }

/** The sections of the console in their groups; `section` is the current one. */
export function navigation(section: Section, isAdmin: boolean): SafeHtml {
  return html`<nav aria-label="${shellMessages.navigation}">${groups.map(({ name, sections }) => {
    const items: readonly Item[] = sections
    const shown = isAdmin && name === groupNames.settings ? [...items, admin] : items
    return html`<div class="nav-group" role="group" aria-label="${name}"><p class="nav-name" aria-hidden="true">${name}</p>
${shown.map((item) => navItem(item, section))}</div>`
  })}</nav>`
}

/** Every section by name and path, for the search. */
export function sectionsNamed(text: string, isAdmin: boolean): readonly Item[] {
  const wanted = text.trim().toLowerCase()
  const known = groups.flatMap(({ sections }): readonly Item[] => sections)
  const all = isAdmin ? [...known, admin] : known
  return wanted === '' ? all : all.filter(({ name }) => name.toLowerCase().includes(wanted))
}

function navItem({ path, name, icon: shape }: Item, section: Section): SafeHtml {
  return html`<a href="${path}"${path === section ? html` aria-current="page"` : null}>${icon(shape)}${name}</a>
`
}
