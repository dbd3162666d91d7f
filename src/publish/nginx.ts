import { join } from 'node:path'
import type { Site, SiteWriter } from './site.ts'
import { createTextFile, type TextFile } from './site.ts'

/**
 * The maximum length of a value, because nginx reads its configuration through a buffer of 4,096
 * bytes.
 */
const MAX_VALUE_BYTES = 3500
/** The number of letters per block of the case mask. */
const BLOCK_LETTERS = 8
/** The maximum number of letters in an alias. */
const MAX_LETTERS = 64

/**
 * Starts the configuration of a site, which has a map from aliases to destinations, and a server.
 * Destinations that are too long for nginx continue in `nginx-2.conf` and so on, under the same
 * keys.
 */
export async function startNginxSite(folder: string, site: Site): Promise<SiteWriter> {
  const first = createTextFile(join(folder, 'nginx.conf'))
  const continuations: TextFile[] = []
  const name = `brevis_${site.id}`
  const mapName = (index: number) => (index === 0 ? name : `${name}_${index + 1}`)
  await first.write(`map $brevis_case$uri $${name} {\n`)

  async function openFile(index: number): Promise<TextFile> {
    const existing = index === 0 ? first : continuations[index - 1]
    if (existing) return existing
    const file = createTextFile(join(folder, `nginx-${index + 1}.conf`))
    continuations[index - 1] = file
    await file.write(`map $brevis_case$uri $${mapName(index)} {\n`)
    return file
  }

  async function writeEntry(key: string, destination: string): Promise<void> {
    const values = splitValue(destination)
    for (const [index, value] of values.entries()) {
      const next = index + 1 < values.length ? `\${${mapName(index + 1)}}` : ''
      await (await openFile(index)).write(`\t${key} "${value}${next}";\n`)
    }
  }

  await writeEntry('default', site.notFound ?? '')
  if (site.root) await writeEntry('"/"', site.root)
  return {
    add: (alias, destination) => writeEntry(`"${toCaseMask(alias)}/${alias}"`, destination),
    async end() {
      for (const file of continuations) await file.end('}\n')
      await first.end(`}\n${renderServer(site, name)}`)
    },
  }
}

function renderServer({ origin, origins }: Site, variable: string): string {
  const { port, protocol } = new URL(origin)
  const names = origins.map((each) => `"${new URL(each).hostname}"`).join(' ')
  const https = protocol === 'https:' ? '\t# Add "listen 443 ssl" and the certificate here.\n' : ''
  return `server {
\tlisten ${port || 80};
${https}\tserver_name ${names};
\tlocation / {
\t\tadd_header Cache-Control "private, no-store" always;
\t\tif ($${variable} = "") {
\t\t\treturn 404;
\t\t}
\t\treturn 302 $${variable};
\t}
}
`
}

/**
 * Returns the configuration that all sites share, which must be included first. nginx ignores the
 * case of ASCII letters in map keys, but aliases differ by case. Therefore a key starts with a mask
 * of its uppercase letters. These maps compute the mask in blocks of eight letters.
 */
export function renderShared({ sites, links }: { sites: number; links: number }): string {
  const blocks = Array.from(
    { length: MAX_LETTERS / BLOCK_LETTERS },
    (_, index) => index * BLOCK_LETTERS,
  )
  const lines = [
    '# Include this file in the http block of nginx.conf, before hosts/*/*.conf.',
    // Above 10,000, nginx starts near the maximum instead of trying every smaller size.
    `map_hash_max_size ${Math.max(20_000, 2 * links)};`,
    'map_hash_bucket_size 2048;',
    `variables_hash_max_size ${Math.max(1024, 4 * sites)};`,
    'variables_hash_bucket_size 128;',
    `server_names_hash_max_size ${Math.max(512, 4 * sites)};`,
    'server_names_hash_bucket_size 512;',
    '# A dollar sign that is not the beginning of a variable.',
    'geo $brevis_dollar { default "$"; }',
    `map $uri $brevis_case { default ""; "~[A-Z]" "${blocks.map((at) => `$brevis_case_${at}`).join('')}"; }`,
  ]
  for (const at of blocks) {
    const letters = Array.from(
      { length: BLOCK_LETTERS },
      (_, index) => `$brevis_upper_${at + index}`,
    )
    lines.push(
      `map $uri $brevis_case_${at} { default ""; "~^(?:[^A-Za-z]*[A-Za-z]){${at + 1}}" "${letters.join('')}"; }`,
    )
    for (let letter = at; letter < at + BLOCK_LETTERS; letter += 1) {
      lines.push(
        `map $uri $brevis_upper_${letter} { default 0; "~^(?:[^A-Za-z]*[A-Za-z]){${letter}}[^A-Za-z]*[A-Z]" 1; }`,
      )
    }
  }
  return `${lines.join('\n')}\n`
}

/** Returns the value of `$brevis_case` for a visit to an alias. */
function toCaseMask(alias: string): string {
  const letters = alias.match(/[A-Za-z]/g) ?? []
  if (!letters.some(isUpper)) return ''
  const length = Math.ceil(letters.length / BLOCK_LETTERS) * BLOCK_LETTERS
  return letters
    .map((letter) => (isUpper(letter) ? '1' : '0'))
    .join('')
    .padEnd(length, '0')
}

function isUpper(letter: string): boolean {
  return letter <= 'Z'
}

/** Splits a quoted value into pieces that nginx can read. */
function splitValue(value: string): string[] {
  const escaped = (text: string) =>
    text.replaceAll(/[\\"]/g, '\\$&').replaceAll('$', `\${brevis_dollar}`)
  const whole = escaped(value)
  if (whole.length <= MAX_VALUE_BYTES) return [whole]
  const pieces = ['']
  for (const character of value) {
    const piece = `${pieces.at(-1)}${escaped(character)}`
    if (piece.length <= MAX_VALUE_BYTES) pieces[pieces.length - 1] = piece
    else pieces.push(escaped(character))
  }
  return pieces
}
