import { execFile } from 'node:child_process'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { folderTest } from '../support/test.ts'

const ROOT = new URL('../../', import.meta.url)
const BIOME = fileURLToPath(new URL('node_modules/.bin/biome', ROOT))

/** Code that violates a rule, with its file and the rule that must report it. */
const violations: Record<string, { file: string; source: string; rule: string }> = {
  'a promise that nobody awaits': {
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
    rule: 'noRestrictedImports',
  },
  'a feature that creates a context': {
    file: 'src/tags/creates.ts',
    source:
      "import { createContext } from '../context.ts'\n\nexport const create = createContext\n",
    rule: 'noRestrictedImports',
  },
  'HTTP that reads the database': importing('src/http/offends.ts', '../db/pool.ts'),
  'HTTP that runs a query': importing('src/http/offends-too.ts', '../links/link.queries.ts'),
  'a surface that reads the database': importing('src/http/api/db.ts', '../../db/schema.ts'),
  'a surface that runs a query': importing('src/http/redirect/q.ts', '../../qr/qr.queries.ts'),
  'the API that knows the legacy API': importing('src/http/api/b.ts', '../legacy-api/reply.ts'),
  'the API that knows redirects': importing('src/http/api/v.ts', '../redirect/visit.ts'),
  'the legacy API that knows the API': importing('src/http/legacy-api/a.ts', '../api/schemas.ts'),
  'the legacy API that knows redirects': importing(
    'src/http/legacy-api/v.ts',
    '../redirect/visit.ts',
  ),
  'the legacy API that reads the database': importing(
    'src/http/legacy-api/db.ts',
    '../../db/pool.ts',
  ),
  'the YOURLS API that knows the API': importing('src/http/yourls-api/a.ts', '../api/schemas.ts'),
  'redirects that know the API': importing('src/http/redirect/a.ts', '../api/schemas.ts'),
  'redirects that know the legacy API': importing(
    'src/http/redirect/b.ts',
    '../legacy-api/reply.ts',
  ),
  'the site that knows redirects': importing('src/http/site/v.ts', '../redirect/visit.ts'),
  'the site that knows the console': importing('src/http/site/c.ts', '../console/shell/send.ts'),
  'the console that knows the API': importing(
    'src/http/console/links/a.ts',
    '../../api/schemas.ts',
  ),
  'the console that reads the database': importing('src/http/console/db.ts', '../../db/pool.ts'),
  'shared pages that know a surface': importing('src/http/html/v.ts', '../site/register.ts'),
  'the embedded database that knows a feature': importing(
    'src/embedded-postgres/f.ts',
    '../links/link.ts',
  ),
  'a domain that knows links': importing('src/domains/l.ts', '../links/link.ts'),
  'a feature that knows the processes': importing('src/links/p.ts', '../process/shutdown.ts'),
  'a feature that knows HTTP': importing('src/links/http.ts', '../http/errors.ts'),
  'a feature that knows the commands': importing('src/qr/cli.ts', '../cli/command.ts'),
  'a command that runs a query': importing('src/cli/q.ts', '../links/link.queries.ts'),
  'a command that knows HTTP': importing('src/cli/http.ts', '../http/auth.ts'),
  'the database that knows a feature': importing('src/db/f.ts', '../links/link.ts'),
  'the outbound fetch that knows a feature': importing('src/net/f.ts', '../links/link.ts'),
  'what syncs files that knows a feature': importing('src/files/f.ts', '../links/link.ts'),
  'a feature that reaches into clicks': importing(
    'src/links/c.ts',
    '../clicks/statistics/totals.queries.ts',
  ),
  'a domain that reaches into clicks': importing('src/domains/c.ts', '../clicks/storage/months.ts'),
  'an entry point that reaches into clicks': importing('src/c.ts', './clicks/journal/journal.ts'),
  'a command that reaches into clicks': importing('src/cli/c.ts', '../clicks/maintenance/check.ts'),
  'the API that reaches into clicks': importing(
    'src/http/api/c.ts',
    '../../clicks/statistics/period.ts',
  ),
  'the console that reaches into clicks': importing(
    'src/http/console/link/c.ts',
    '../../../clicks/statistics/period.ts',
  ),
  'redirects that reach into clicks': importing(
    'src/http/redirect/c.ts',
    '../../clicks/journal/journal.ts',
  ),
  'an import of clicks that knows statistics': importing(
    'src/clicks/import/s.ts',
    '../statistics/period.ts',
  ),
  'statistics that know the import of clicks': importing(
    'src/clicks/statistics/i.ts',
    '../import/importer.ts',
  ),
  'an encoding of clicks that knows the import': importing(
    'src/clicks/encoding/i.ts',
    '../import/importer.ts',
  ),
  'a page that asks a service': importing('src/pages/s.ts', '../links/link.service.ts'),
  'a page that reads the database': importing('src/pages/db.ts', '../db/pool.ts'),
  'a page that knows HTTP': importing('src/pages/http.ts', '../http/errors.ts'),
  'a reader of headers that knows HTTP': importing('src/visitors/http.ts', '../http/auth.ts'),
  'a reader of headers that asks a feature': importing('src/visitors/f.ts', '../links/link.ts'),
  'a drawing that reads the database': importing('src/qr/drawing/matrix.ts', '../../db/pool.ts'),
  'a drawing that runs a query': importing('src/qr/drawing/render-svg.ts', '../qr.queries.ts'),
}

/** Code that must stay allowed, to prove that the rules are not too broad. */
const allowed = {
  'HTTP that asks a service': importing('src/http/asks.ts', '../links/link.service.ts'),
  'the one place where rejections are mapped': importing('src/http/errors.ts', '../db/errors.ts'),
  'a surface that uses shared modules': importing('src/http/api/ok.ts', '../errors.ts'),
  'a surface within itself': importing('src/http/redirect/ok.ts', './visit.ts'),
  'a feature on the database': importing('src/links/ok.ts', '../db/pool.ts'),
  'a feature that asks another': importing('src/qr/ok.ts', '../links/link.service.ts'),
  'a command that prints a time': importing('src/cli/ok.ts', '../http/timestamp.ts'),
  'a page of the console that uses what pages share': importing(
    'src/http/console/links/ok.ts',
    '../../../pages/field.ts',
  ),
  'a page that refuses': importing('src/pages/ok.ts', '../errors.ts'),
  'a page that follows the rule for targets': importing('src/pages/url.ts', '../target-url.ts'),
  'a drawing beside another': importing('src/qr/drawing/layout.ts', './matrix.ts'),
}

function importing(file: string, specifier: string) {
  const source = `import { one } from '${specifier}'\n\nexport const other = one\n`
  return { file, source, rule: 'noRestrictedImports' }
}

/** The linter's findings in a folder with all of these files. */
const test = folderTest().extend('found', { scope: 'file' }, async ({ folder }) => {
  for (const name of ['biome.json', '.gitignore']) {
    await copyFile(new URL(name, ROOT), join(folder, name))
  }
  const cycle = {
    file: 'src/links/cycle-b.ts',
    source: violations['an import cycle']?.source ?? '',
  }
  const back = {
    ...cycle,
    source: "import { a } from './cycle-a.ts'\n\nexport const b = () => a\n",
  }
  const typeBack = {
    file: 'src/links/type-b.ts',
    source: "import type { A } from './type-a.ts'\n\nexport type B = A[]\n",
  }
  const written = [...Object.values(violations), ...Object.values(allowed), back, typeBack]
  for (const { file, source } of written) {
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
  test.for(Object.entries(violations))('%s', ([_name, { file, rule }], { found }) => {
    expect(found.get(file)).toContain(rule)
  })
})

describe('the linter allows', () => {
  test.for(Object.entries(allowed))('%s', ([_name, { file }], { found }) => {
    expect(found.get(file) ?? []).toEqual([])
  })
})
