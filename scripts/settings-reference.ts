import { readFile, writeFile } from 'node:fs/promises'
import { SETTINGS } from '../src/settings.ts'
import { readArguments } from './arguments.ts'

const EXAMPLE = new URL('../.env.example', import.meta.url)
const PAGE = new URL('../docs/settings.md', import.meta.url)

const INTRO = `# Settings

Set environment variables, or copy [.env.example](../.env.example) to \`.env\` and edit it. Environment variables
override \`.env\`, and an empty value means the default. If a value is invalid, startup fails and names the setting.
Write values without quotes: \`docker run --env-file\` would pass them on. Changes take effect after a restart.
`

const SSL_MODES = `## TLS to PostgreSQL

\`sslmode\` in the query of \`DATABASE_URL\` decides whether the connection is encrypted, for example
\`postgres://user:password@db.example/brevis?sslmode=verify-full\`. All modes of a row behave the same.

| \`sslmode\` | encrypted | certificate of the server |
|---|---|---|
| absent, \`disable\` | no | |
| \`prefer\`, \`require\`, \`verify-ca\`, \`verify-full\` | yes; without TLS on the server, the connection fails | must be valid for the host name |
| \`no-verify\` | yes | not verified, so it does not protect against an attacker in the network |

Certificates are verified with the authorities that come with Node.js. For your own authority, add its certificate:
\`sslrootcert=/etc/brevis/ca.pem\`. A client certificate needs \`sslcert\` and \`sslkey\`. For the meanings of libpq, where \`require\`
verifies nothing, add \`uselibpqcompat=true\`.

Percent-encode special characters in the user and the password: \`p@ss#w\` is \`p%40ss%23w\`.
`

const defaults = new Map<string, unknown>(
  Object.entries(SETTINGS).map(([name, setting]) => [name, setting.default]),
)

/** Returns the page for the text of `.env.example`, with a table for each section. */
export function createSettingsReference(example: string): string {
  const [, ...sections] = example.split(/^## /m)
  const tables = sections.map((section) => {
    const [title = '', ...settings] = section.trim().split('\n\n')
    const rows = settings.map(createRow).join('\n')
    return `## ${title}\n\n| setting | default | description |\n|---|---|---|\n${rows}\n`
  })
  return [INTRO, ...tables, SSL_MODES].join('\n')
}

/** Returns the table row of a setting, which is a comment followed by `#NAME=value`. */
function createRow(setting: string): string {
  const [, comment = '', name = '', value = ''] = /^(.*)\n#([A-Z_]+)=(.*)$/s.exec(setting) ?? []
  if (!defaults.has(name)) throw new Error(`.env.example: '${setting}' is not a setting`)
  const hasDefault = defaults.get(name) !== ''
  const example = hasDefault || value === '' ? '' : `<br>Example: \`${value}\``
  const cell = `${formatComment(comment)}${example}`.replaceAll('|', '\\|')
  return `| \`${name}\` | ${hasDefault ? `\`${value}\`` : ''} | ${cell} |`
}

/** Joins the lines of a comment, and links the guides that it names. */
function formatComment(comment: string): string {
  const lines = comment.split('\n').map((line) => line.replace(/^# ?/, ''))
  return lines.join(' ').replaceAll(/docs\/([\w-]+\.md)/g, '[$1]($1)')
}

if (import.meta.main) {
  readArguments(`Usage: bin/node scripts/settings-reference.ts

Writes docs/settings.md from .env.example.`)
  await writeFile(PAGE, createSettingsReference(await readFile(EXAMPLE, 'utf8')))
}
