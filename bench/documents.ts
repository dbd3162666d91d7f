import type { Figure } from './figures.ts'
import { readVersion } from './public-lists.ts'

/** The figures of each section of the benchmarks. */
export type Sections = Record<string, { figures: Figure[] }>

type Find = (section: string, name: string, unit?: string) => number

const BEGIN = '<!-- from bench/results.json -->'
const END = '<!-- end -->'

/** The documents with measured figures, and the Markdown of their marked part. */
export const DOCUMENTS: Readonly<Record<string, (find: Find) => string>> = {
  'README.md': renderSpeed,
  'docs/scaling.md': renderMachine,
  'docs/memory.md': renderMemory,
  'docs/statistics.md': renderRobots,
}

/** Returns a document in which the marked part has the figures of `sections`. */
export function updateDocument(name: string, text: string, sections: Sections): string {
  const [start, end] = [text.indexOf(BEGIN), text.indexOf(END)]
  const render = DOCUMENTS[name]
  if (!render || start < 0 || end < start) throw new Error(`${name} has no marked part`)
  const part = render((...figure) => findFigure(sections, ...figure))
  return `${text.slice(0, start)}${BEGIN}\n${part}\n${text.slice(end)}`
}

function findFigure(sections: Sections, section: string, name: string, unit?: string): number {
  const figure = sections[section]?.figures.find(
    (each) => each.name === name && (unit === undefined || each.unit.trim() === unit),
  )
  if (!figure) throw new Error(`bench/results.json has no figure "${name}" in ${section}`)
  return figure.value
}

function renderSpeed(find: Find): string {
  const rate = (section: string) => round(find(section, 'redirects, until drained'))
  const ratio = (section: string) => find(section, 'until drained').toFixed(2)
  return `**Speed:** ${rate('long')} redirects a second on one core with every click counted, ${ratio('long')} of bare Fastify; with a million links on two cores,
${ratio('traffic')} of it: [all figures](docs/scaling.md#what-one-machine-can-do).`
}

function renderMachine(find: Find): string {
  const redirects: readonly string[][] = [
    ['redirects', 'a second', 'of bare Fastify', 'p99'],
    ...[
      ['long', 'a minute of 1,000 links and 200,000 visitors, one core'],
      ['traffic', 'a minute of 1,000,000 links by Zipf’s law, two cores'],
    ].flatMap(([section = '', name = '']) => [
      [
        name,
        round(find(section, 'redirects, under load')),
        find(section, 'under load').toFixed(2),
        `${find(section, 'p99').toFixed(0)} ms`,
      ],
      [
        '… until the last click is in PostgreSQL',
        round(find(section, 'redirects, until drained')),
        find(section, 'until drained').toFixed(2),
        '',
      ],
    ]),
    ...[
      ['two cores', 'HTTP on one core; importer, PostgreSQL and load generator on the other'],
      ['one core', 'one core'],
    ].map(([cores, machine]) => [
      `ten seconds of 1,000 links, ${machine}`,
      round(find('redirect', `Brevis, ${cores}: redirects`)),
      find('redirect', `${cores}, under load`).toFixed(2),
      `${find('redirect', `Brevis, ${cores}: p99`).toFixed(0)} ms`,
    ]),
    [
      'links that are not in memory, one core',
      round(find('cold', 'cold links, one core')),
      find('cold', 'cold links, one core, under load').toFixed(2),
      `${find('cold', 'cold links: p99').toFixed(0)} ms`,
    ],
    ['a single caller, two cores', '', '', `${find('caller', 'Brevis: p99').toFixed(1)} ms`],
  ]
  const rest: readonly string[][] = [
    ['what', 'measured'],
    ...['1,000', '100,000'].map((links) => [
      `clicks that one importer counts, of ${links} links`,
      `${round(find('importer', `importer, ${links} links`))} a second, ${round(find('importer', `disk, ${links} links`))} bytes of disk each`,
    ]),
    [
      'links created by API, one by one and 100 at a time, one core',
      `${round(find('api', 'POST /api/url/add, one core'))} and ${round(find('api', 'POST /api/urls/add, one core'))} a second`,
    ],
    [
      'links imported and exported',
      `${round(find('transfer', 'import'))} and ${round(find('transfer', 'export'))} a second`,
    ],
    [
      'statistics of 90 days of a link, and of 12 months of an account with 100,000 links',
      `${round(find('periods', 'one link with 10,000,000 clicks, 90 days'))} and ${round(find('periods', 'an account with 100,000 links, 12 months'))} ms`,
    ],
    [
      'start to the first redirect, with the embedded PostgreSQL',
      `${find('start', 'start with the embedded database to the first redirect').toFixed(1)} s`,
    ],
  ]
  return `\n${toMarkdownTable(redirects)}\n\n${toMarkdownTable(rest)}\n`
}

function renderMemory(find: Find): string {
  const peaks = [
    ['200 visits a second', 'visits'],
    ['and console pages', 'visits, console'],
    ['and `brevis import` of 50,000 links with clicks', 'visits, console, import'],
    ['and `brevis backup`', 'visits, backup'],
  ].map(([name = '', figure = '']) => [name, round(find('memory', `in 512 MiB: ${figure}`))])
  const [answered, failed, killed] = ['visits answered', 'visits failed', 'processes killed'].map(
    (name) => find('memory', name).toLocaleString('en-US'),
  )
  return `
${toMarkdownTable([['meanwhile', 'peak in MiB'], ...peaks])}

Visits answered: ${answered}, failed: ${failed}. Processes killed: ${killed}.
`
}

function renderRobots(find: Find): string {
  const rows = [
    ['robots', 'crawler-user-agents', 'crawlers, monitors and preview bots', 'pass as people'],
    ['tools', 'crawler-user-agents', 'HTTP libraries and automated browsers', 'pass as people'],
    ['visits', 'user-agents', 'visits by people', 'count as robots'],
    ['browsers', 'top-user-agents', 'most frequent browsers', 'count as robots'],
  ].map(([list = '', source = '', content = '', error = '']) => [
    `${find('robots', list).toLocaleString('en-US')} ${content}`,
    `${source} ${readVersion(source)}`,
    error,
    ...['', ', isbot'].map(
      (suffix) => `${find('robots', `${list} that ${error}${suffix}`).toFixed(2)}%`,
    ),
  ])
  const isbot = `isbot ${readVersion('isbot')}`
  const marks = [
    ['requests with the headers of browsers', 'navigations of browsers and apps', 'their own'],
    ['visits without headers', 'visits by people, of user-agents', 'none'],
    [
      'disguised robots without headers',
      'robots of crawler-user-agents that count and name a browser',
      'none',
    ],
  ].map(([figure = '', content = '', headers = '']) => [
    `${find('robots', figure).toLocaleString('en-US')} ${content}`,
    headers,
    `${find('robots', `${figure} that are marked`).toFixed(2)}%`,
  ])
  return `
${toMarkdownTable([['User-Agents', 'list', 'error', 'Brevis', isbot], ...rows])}

${toMarkdownTable([['Requests over https', 'headers', 'marked as automated'], ...marks])}
`
}

function toMarkdownTable([header = [], ...rows]: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

/** Formats a number with three significant digits. */
function round(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en-US')
}
