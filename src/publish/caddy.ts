import { join } from 'node:path'
import type { Site, SiteWriter } from './site.ts'
import { createTextFile } from './site.ts'

/**
 * Placeholders for characters that cannot be written in a Caddyfile. `{` starts a placeholder, `{$`
 * an environment variable even if escaped, and `\` would escape the quotation mark after it. A
 * regular expression extracts each of these characters from a text.
 */
const SPECIAL_CHARACTERS = `\tmap "a\\b" {brevis_backslash} {
\t\t~^a(.)b$ "\${1}"
\t}
\tmap "a{b" {brevis_open} {
\t\t~^a(.)b$ "\${1}"
\t}
\tmap "a}b" {brevis_close} {
\t\t~^a(.)b$ "\${1}"
\t}
`

const PLACEHOLDERS = new Map([
  ['\\', '{brevis_backslash}'],
  ['{', '{brevis_open}'],
  ['}', '{brevis_close}'],
])

/**
 * Starts the Caddyfile of a site. Caddy compares a path with map entries one by one. To keep this
 * fast, links are grouped by the first two characters of their aliases.
 */
export async function startCaddySite(folder: string, site: Site): Promise<SiteWriter> {
  const file = createTextFile(join(folder, 'Caddyfile'))
  const notFound = site.notFound && quote(site.notFound)
  const fallback = notFound ? `redir ${notFound} 302` : 'respond 404'
  let group: Group | undefined

  /**
   * Ends the current group of links. Also ends its outer group, unless the next group belongs to it
   * too.
   */
  async function endGroup(next?: Group): Promise<void> {
    if (!group) return
    await file.write(
      '\t}\n\t@link not vars {brevis_target} ""\n\tredir @link {brevis_target} 302\n\trespond 404\n\t}\n',
    )
    if (!group.outer || group.outer === next?.outer) return
    await file.write(`${group.inner ? `\thandle {\n\t\t${fallback}\n\t}\n` : ''}\t}\n`)
  }

  async function startGroup(next: Group): Promise<void> {
    await endGroup(next)
    if (next.outer !== group?.outer && next.outer) await file.write(`\thandle ${next.outer} {\n`)
    const path = next.inner && `${next.inner} `
    await file.write(`\thandle ${path}{\n\tmap {path} {brevis_target} {\n`)
    await file.write(`\t\tdefault ${notFound ?? '""'}\n`)
    group = next
  }

  await file.write(`${site.origins.join(', ')} {\n${SPECIAL_CHARACTERS}`)
  await file.write('\theader Cache-Control "private, no-store"\n')
  if (site.root) await file.write(`\tredir / ${quote(site.root)} 302\n`)
  return {
    async add(alias, destination) {
      const next = toGroup(alias)
      if (next.outer !== group?.outer || next.inner !== group.inner) await startGroup(next)
      await file.write(`\t\t"/${alias}" ${quote(destination)}\n`)
    },
    async end() {
      await endGroup()
      const hasFallback = group && !group.outer
      await file.end(`${hasFallback ? '' : `\thandle {\n\t\t${fallback}\n\t}\n`}}\n`)
    },
  }
}

/** The path matchers of a group of links. They are empty for the group of all other paths. */
type Group = { outer: string; inner: string }

/**
 * Returns the group of an alias, by its first characters that have no special meaning in a path
 * matcher. Path matchers ignore case.
 */
function toGroup(alias: string): Group {
  const [start = ''] = /^[a-z0-9_-][a-z0-9_./-]?/.exec(alias.slice(0, 2).toLowerCase()) ?? []
  if (start === '') return { outer: '', inner: '' }
  const outer = `/${start.slice(0, 1)}*`
  if (start.length === 2) return { outer, inner: `/${start}*` }
  return { outer, inner: alias.length === 1 ? `/${start}` : '' }
}

function quote(destination: string): string {
  return `"${destination.replaceAll(/[\\{}]/g, (character) => PLACEHOLDERS.get(character) ?? '')}"`
}
