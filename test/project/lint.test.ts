import { execFile } from 'node:child_process'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { folderTest } from '../support/test.ts'

const ROOT = new URL('../../', import.meta.url)
const BIOME = fileURLToPath(new URL('node_modules/.bin/biome', ROOT))

/** Code that violates a rule, with its file and the rule that must report it. */
const violations: Record<string, { file: string; source: string; rule: string }> = {
  'a promise that is not awaited': {
    file: 'src/links/floating.ts',
    source: 'async function work(): Promise<void> {}\nexport function start() {\n  work()\n}\n',
    rule: 'noFloatingPromises',
  },
  'an import cycle': {
    file: 'src/links/cycle-a.ts',
    source: "import { b } from './cycle-b.ts'\n\nexport const a = () => b\n",
    rule: 'noImportCycles',
  },
  'an import cycle of types': {
    file: 'src/links/type-a.ts',
    source: "import type { B } from './type-b.ts'\n\nexport type A = B[]\n",
    rule: 'noImportCycles',
  },
  'a file that holds more than an idea': {
    file: 'src/links/long.ts',
    source: `export const values = [\n${"  'a',\n".repeat(300)}]\n`,
    rule: 'noExcessiveLinesPerFile',
  },
  'a setting read outside config.ts': {
    file: 'src/links/environment.ts',
    source: 'export const port = process.env.PORT\n',
    rule: 'noProcessEnv',
  },
  'a non-null assertion': {
    file: 'src/links/assertion.ts',
    source: 'export const first = (list: string[]) => list[0]!.length\n',
    rule: 'noNonNullAssertion',
  },
  'HTTP that creates a context': {
    file: 'src/http/creates.ts',
    source:
      "import { createContext } from '../context.ts'\n\nexport const create = createContext\n",
    rule: 'plugin',
  },
  'a feature that creates a context': {
    file: 'src/tags/creates.ts',
    source:
      "import { createContext } from '../context.ts'\n\nexport const create = createContext\n",
    rule: 'plugin',
  },
  'HTTP that reads the database': createImport('src/http/offends.ts', '../db/pool.ts'),
  'HTTP that runs a query': createImport('src/http/offends-too.ts', '../links/link.queries.ts'),
  'a surface that reads the database': createImport(
    'src/http/api/db.ts',
    '../../db/transaction.ts',
  ),
  'a surface that runs a query': createImport('src/http/redirect/q.ts', '../../qr/qr.queries.ts'),
  'the API that knows the legacy API': createImport('src/http/api/b.ts', '../legacy-api/reply.ts'),
  'the API that knows redirects': createImport('src/http/api/v.ts', '../redirect/visit.ts'),
  'the legacy API that knows the API': createImport(
    'src/http/legacy-api/a.ts',
    '../api/schemas.ts',
  ),
  'the legacy API that knows redirects': createImport(
    'src/http/legacy-api/v.ts',
    '../redirect/visit.ts',
  ),
  'the legacy API that reads the database': createImport(
    'src/http/legacy-api/db.ts',
    '../../db/pool.ts',
  ),
  'the YOURLS API that knows the API': createImport(
    'src/http/yourls-api/a.ts',
    '../api/schemas.ts',
  ),
  'the MCP server that knows the API': createImport('src/http/mcp/a.ts', '../api/schemas.ts'),
  'redirects that know the API': createImport('src/http/redirect/a.ts', '../api/schemas.ts'),
  'redirects that know the legacy API': createImport(
    'src/http/redirect/b.ts',
    '../legacy-api/reply.ts',
  ),
  'the site that knows redirects': createImport('src/http/site/v.ts', '../redirect/visit.ts'),
  'the site that knows the console': createImport('src/http/site/c.ts', '../console/shell/send.ts'),
  'the console that knows the API': createImport(
    'src/http/console/links/a.ts',
    '../../api/schemas.ts',
  ),
  'the console that reads the database': createImport('src/http/console/db.ts', '../../db/pool.ts'),
  'shared pages that know a surface': createImport('src/http/html/v.ts', '../site/register.ts'),
  'the embedded database that knows a feature': createImport(
    'src/embedded-postgres/f.ts',
    '../links/link.ts',
  ),
  'a domain that knows links': createImport('src/domains/l.ts', '../links/link.ts'),
  'a feature that knows the processes': createImport('src/links/p.ts', '../process/shutdown.ts'),
  'a feature that knows HTTP': createImport('src/links/http.ts', '../http/errors.ts'),
  'a feature that knows the commands': createImport('src/qr/cli.ts', '../cli/command.ts'),
  'a command that runs a query': createImport('src/cli/q.ts', '../links/link.queries.ts'),
  'a command that knows HTTP': createImport('src/cli/http.ts', '../http/auth.ts'),
  'the database that knows a feature': createImport('src/db/f.ts', '../links/link.ts'),
  'the outbound fetch that knows a feature': createImport('src/net/f.ts', '../links/link.ts'),
  'a file module that knows a feature': createImport('src/files/f.ts', '../links/link.ts'),
  'a feature that reaches into clicks': createPrivateImport(
    'src/links/c.ts',
    '../clicks/statistics/totals.queries.ts',
  ),
  'a domain that reaches into clicks': createPrivateImport(
    'src/domains/c.ts',
    '../clicks/storage/months.ts',
  ),
  'an entry point that reaches into clicks': createPrivateImport(
    'src/c.ts',
    './clicks/journal/journal.ts',
  ),
  'a command that reaches into clicks': createPrivateImport(
    'src/cli/c.ts',
    '../clicks/maintenance/check.ts',
  ),
  'the API that reaches into clicks': createPrivateImport(
    'src/http/api/c.ts',
    '../../clicks/statistics/period.ts',
  ),
  'the console that reaches into clicks': createPrivateImport(
    'src/http/console/link/c.ts',
    '../../../clicks/statistics/period.ts',
  ),
  'redirects that reach into clicks': createPrivateImport(
    'src/http/redirect/c.ts',
    '../../clicks/journal/journal.ts',
  ),
  'a feature that reaches into a folder of another': createPrivateImport(
    'src/tags/visits.ts',
    '../links/visit/visit-link.queries.ts',
  ),
  'a function that reaches into a folder of another feature': {
    file: 'src/tags/later.ts',
    source: "export const load = () => import('../links/visit/visit-link.queries.ts')\n",
    rule: 'plugin',
  },
  'an import of clicks that knows statistics': createImport(
    'src/clicks/import/s.ts',
    '../statistics/period.ts',
  ),
  'statistics that know the import of clicks': createImport(
    'src/clicks/statistics/i.ts',
    '../import/importer.ts',
  ),
  'an encoding of clicks that knows the import': createImport(
    'src/clicks/encoding/i.ts',
    '../import/importer.ts',
  ),
  'a page that calls a service': createImport('src/pages/s.ts', '../links/link.service.ts'),
  'a page that reads the database': createImport('src/pages/db.ts', '../db/pool.ts'),
  'a page that knows HTTP': createImport('src/pages/http.ts', '../http/errors.ts'),
  'a reader of headers that knows HTTP': createImport('src/visitors/http.ts', '../http/auth.ts'),
  'a reader of headers that calls a feature': createImport('src/visitors/f.ts', '../links/link.ts'),
  'a drawing that reads the database': createImport('src/qr/drawing/matrix.ts', '../../db/pool.ts'),
  'a drawing that runs a query': createImport('src/qr/drawing/render-svg.ts', '../qr.queries.ts'),
}

/** Code that must stay allowed, to prove that the rules are not too broad. */
const allowed = {
  'HTTP that calls a service': createImport('src/http/asks.ts', '../links/link.service.ts'),
  'the one place where rejections are mapped': createImport(
    'src/http/errors.ts',
    '../db/errors.ts',
  ),
  'a surface that uses shared modules': createImport('src/http/api/ok.ts', '../errors.ts'),
  'a surface within itself': createImport('src/http/redirect/ok.ts', './visit.ts'),
  'a feature on the database': createImport('src/links/ok.ts', '../db/pool.ts'),
  'a feature that calls another': createImport('src/qr/ok.ts', '../links/link.service.ts'),
  'a command that prints a time': createImport('src/cli/ok.ts', '../http/timestamp.ts'),
  'a page of the console that uses what pages share': createImport(
    'src/http/console/links/ok.ts',
    '../../../pages/field.ts',
  ),
  'a page that throws an AppError': createImport('src/pages/ok.ts', '../errors.ts'),
  'a page that follows the rule for targets': createImport(
    'src/pages/url.ts',
    '../urls/destination-url.ts',
  ),
  'a feature that opens the door of a folder': createImport(
    'src/tags/door.ts',
    '../links/store/store-file.ts',
  ),
  'a feature in its own folders': createImport('src/links/own.ts', './visit/visit-link.queries.ts'),
  'a command that creates a context': {
    file: 'src/cli/context.ts',
    source:
      "import { createContext } from '../context.ts'\n\nexport const create = createContext\n",
  },
  'a drawing beside another': createImport('src/qr/drawing/layout.ts', './matrix.ts'),
}

function createImport(file: string, specifier: string) {
  const source = `import { one } from '${specifier}'\n\nexport const other = one\n`
  return { file, source, rule: 'noRestrictedImports' }
}

/** Imports what another room does not open, which a plugin in `lint/` reports. */
function createPrivateImport(file: string, specifier: string) {
  return { ...createImport(file, specifier), rule: 'plugin' }
}

/** A `test` with the rules that each file violates. The linter runs once, in a folder with all files. */
const test = folderTest().extend('rulesByFile', { scope: 'file' }, async ({ folder }) => {
  for (const name of ['biome.json', '.gitignore', 'lint']) {
    await cp(new URL(name, ROOT), join(folder, name), { recursive: true })
  }
  const cycleStart = {
    file: 'src/links/cycle-b.ts',
    source: violations['an import cycle']?.source ?? '',
  }
  const cycleEnd = {
    ...cycleStart,
    source: "import { a } from './cycle-a.ts'\n\nexport const b = () => a\n",
  }
  const typeCycleEnd = {
    file: 'src/links/type-b.ts',
    source: "import type { A } from './type-a.ts'\n\nexport type B = A[]\n",
  }
  const files = [...Object.values(violations), ...Object.values(allowed), cycleEnd, typeCycleEnd]
  for (const { file, source } of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), source)
  }
  return lint(folder)
})

/** Returns the rules that each file violates. */
async function lint(folder: string): Promise<Map<string, string[]>> {
  const args = ['lint', '--reporter=json', '--max-diagnostics=none', 'src']
  const stdout = await new Promise<string>((resolve) => {
    // It exits with an error because it finds violations.
    execFile(BIOME, args, { cwd: folder }, (_error, text) => resolve(text))
  })
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { category: string; location: { path: string } }[]
  }
  const rules = new Map<string, string[]>()
  for (const { category, location } of diagnostics) {
    const rule = category.split('/').at(-1) ?? ''
    rules.set(location.path, [...(rules.get(location.path) ?? []), rule])
  }
  return rules
}

describe('the linter rejects', () => {
  test.for(Object.entries(violations))('%s', ([_name, { file, rule }], { rulesByFile }) => {
    expect(rulesByFile.get(file)).toContain(rule)
  })
})

describe('the linter allows', () => {
  test.for(Object.entries(allowed))('%s', ([_name, { file }], { rulesByFile }) => {
    expect(rulesByFile.get(file) ?? []).toEqual([])
  })
})
