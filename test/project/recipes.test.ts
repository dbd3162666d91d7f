import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scratchFolder } from '../support/scratch.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDERS = ['bench', 'lint', 'locales', 'migrations', 'scripts', 'src', 'test']
const SETTINGS = ['.gitignore', 'biome.json', 'package.json', 'tsconfig.json']

/** Adjacent lines of a file, and those that an example has in their place. */
type Edit = { file: string; before: string[]; after: string[] }

const recipes = /^## Recipes$.*?^(?=## )/ms.exec(readText(ROOT, 'CONTRIBUTING.md'))?.[0] ?? ''
const edits = [...recipes.matchAll(/^```diff\n(.*?)^```/gms)].flatMap(([, diff = '']) =>
  parseDiff(diff),
)
const copies = [...recipes.matchAll(/^cp (\S+) (\S+)$/gm)]
let copy = ''

beforeAll(async () => {
  copy = await mkdtemp(join(scratchFolder(), 'brevis-recipes-'))
  for (const name of [...FOLDERS, ...SETTINGS])
    await cp(join(ROOT, name), join(copy, name), { recursive: true })
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
})

afterAll(() => rm(copy, { recursive: true, force: true }))

test('the examples of the recipes fit the source and its types', async () => {
  const missed: Edit[] = []
  for (const edit of edits) if (!(await applyEdit(edit))) missed.push(edit)
  for (const [, from = '', to = ''] of copies) await cp(join(copy, from), join(copy, to))
  expect(missed, 'the lines without + are once in the file').toEqual([])
  expect([edits.length > 30, copies.length]).toEqual([true, 2])
  expect(recipes).toContain('\nnpm run tables\n')
  expect(await run(process.execPath, 'scripts/tables.ts')).toBe('')

  expect(await run(join(ROOT, 'node_modules/.bin/tsc'), '--noEmit', '-p', copy)).toBe('')
  // Importing them reads the catalogs of all languages.
  const imports = "await import('./src/texts.ts'), await import('./src/pages/texts.ts')"
  expect(await run(process.execPath, '--input-type=module', '-e', imports)).toBe('')
})

/** Reads the edits of an example, in which the lines of a file follow its name. */
function parseDiff(diff: string): Edit[] {
  return diff.split(/^\+\+\+ /m).flatMap((part) => {
    const [file = '', ...lines] = part.trimEnd().split('\n')
    // Each run of new lines ends an edit.
    return [...lines.join('\n').matchAll(/(?:^[ -].*\n)*(?:^\+.*\n?)+/gm)].map(([edit]) => {
      const listLines = (sign: RegExp) => edit.match(sign)?.map((line) => line.slice(1)) ?? []
      return { file, before: listLines(/^[ -].*/gm), after: listLines(/^[ +].*/gm) }
    })
  })
}

/** Applies an edit to the copy. Returns whether its lines are in the file, or the file is new. */
async function applyEdit({ file, before, after }: Edit): Promise<boolean> {
  const path = join(copy, file)
  const text = existsSync(path) ? `\n${readText(copy, file)}` : '\n'
  const parts = text.split(`\n${before.map((line) => `${line}\n`).join('')}`)
  if (before.length > 0 ? parts.length !== 2 : existsSync(path)) return false
  await writeFile(path, parts.join(`\n${after.join('\n')}\n`).slice(1))
  return true
}

/** Runs a program in the copy and returns what it writes if it fails, or an empty text. */
async function run(program: string, ...options: string[]): Promise<string> {
  try {
    await promisify(execFile)(program, options, { cwd: copy })
    return ''
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return `${stdout}${stderr}` || String(error)
  }
}

function readText(folder: string, file: string): string {
  return readFileSync(join(folder, file), 'utf8')
}
