import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

type Manifest = Record<'dependencies' | 'optionalDependencies' | 'devDependencies', Versions>
type Versions = Record<string, string>
type Locked = {
  version: string
  license?: string
  integrity?: string
  dev?: boolean
  optional?: boolean
}

const root = new URL('../../', import.meta.url)
const manifest = await readJson<Manifest>('package.json')
const lock = await readJson<{ packages: Record<string, Locked> }>('package-lock.json')
const runtime = { ...manifest.dependencies, ...manifest.optionalDependencies }
const document = await readText('docs/dependencies.md')
const COUNTRY_DATA = 'node_modules/@ip-location-db/geo-whois-asn-country-mmdb'

describe('dependencies', () => {
  test('have exact versions matching the lock file', () => {
    for (const [name, version] of Object.entries({ ...runtime, ...manifest.devDependencies })) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/)
      expect(lock.packages[`node_modules/${name}`]?.version, name).toBe(version)
    }
  })

  test('are installed in these versions', async () => {
    for (const [name, version] of Object.entries(manifest.dependencies)) {
      const installed = await readJson<Locked>(`node_modules/${name}/package.json`)
      expect(installed.version, name).toBe(version)
    }
  })

  test('have checksums, including transitive dependencies', () => {
    // Optional builds of the formatter for other platforms, which are not installed here.
    const otherPlatforms = /^node_modules\/@biomejs\/cli-(?!linux-(x64|arm64)$)/
    const packages = Object.entries(lock.packages).filter(
      ([path]) => path !== '' && !otherPlatforms.test(path),
    )
    expect(packages.length).toBeGreaterThan(100)
    for (const [path, { integrity }] of packages) expect(integrity, path).toMatch(/^sha512-/)
  })

  test('of the mutation tester are pinned in a separate lock file', async () => {
    const separate = await readJson<Manifest>('mutation/package.json')
    const locked = await readJson<typeof lock>('mutation/package-lock.json')
    expect(Object.keys(separate.dependencies).length).toBeGreaterThan(0)
    for (const [name, version] of Object.entries(separate.dependencies)) {
      expect(locked.packages[`node_modules/${name}`]?.version, name).toBe(version)
      expect(lock.packages[`node_modules/${name}`], name).toBeUndefined()
    }
    for (const [path, { integrity }] of Object.entries(locked.packages)) {
      if (path !== '') expect(integrity, path).toMatch(/^sha512-/)
    }
  })

  test('are all listed with version, license and purpose', () => {
    const [directSection = ''] = document.split('## Licenses of all runtime dependencies')
    const listed = readTableRows(directSection)
    expect(listed.map(([name]) => name).sort()).toEqual(Object.keys(runtime).sort())
    for (const [name = '', version, license, purpose] of listed) {
      const locked = lock.packages[`node_modules/${name}`]
      expect([version, license], name).toEqual([runtime[name], findLicense(name, locked)])
      expect(purpose, name).toMatch(/\w/)
    }
  })

  test('and transitive dependencies have the listed licenses', () => {
    const [, rest = ''] = document.split('## Licenses of all runtime dependencies')
    const [licenseSection = ''] = rest.split('\n## ')
    const licensesInUse = Object.entries(lock.packages)
      .filter(([path, { dev }]) => path !== '' && !dev)
      .map(([path, locked]) => findLicense(path, locked) ?? 'none')
    expect(
      readTableRows(licenseSection)
        .map(([license]) => license)
        .sort(),
    ).toEqual([...new Set(licensesInUse)].sort())
  })

  test('include country data with the attribution that its license requires', async () => {
    const license = await readText(`${COUNTRY_DATA}/NRO_LICENSE`)
    expect(license).toContain('Creative Commons Attribution 4.0')
    expect(license).toContain('attribution to nro.net')
    const notice = await readText('NOTICE')
    for (const part of [
      'https://www.nro.net',
      'CC BY 4.0',
      'creativecommons.org/licenses/by/4.0',
    ]) {
      expect(notice).toContain(part)
    }
  })

  test('are all imported by the program', async () => {
    const source = await readSource()
    for (const name of Object.keys(manifest.dependencies)) {
      expect(source.includes(`'${name}'`) || source.includes(`'${name}/`), name).toBe(true)
    }
  })

  test('have no known high or critical vulnerabilities, if the registry responds', async () => {
    const report = await runAudit()
    if (!report) return
    expect(report).toMatchObject({ high: 0, critical: 0 })
  }, 60_000)
})

/** Returns the license of a package. The country data's package.json contradicts its license file. */
function findLicense(path: string, locked?: Locked): string | undefined {
  return COUNTRY_DATA.endsWith(path) ? 'CC-BY-4.0' : locked?.license
}

function readTableRows(markdown: string): string[][] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
    .slice(1)
}

/** Returns the number of vulnerabilities by severity; undefined if the registry does not respond. */
function runAudit(): Promise<Record<string, number> | undefined> {
  const args = ['audit', '--omit=dev', '--json', '--fetch-retries=0', '--fetch-timeout=15000']
  return new Promise((resolve) => {
    execFile('npm', args, { cwd: fileURLToPath(root) }, (_, stdout) => {
      const report = parseJson(stdout) as {
        metadata?: { vulnerabilities?: Record<string, number> }
      }
      resolve(report.metadata?.vulnerabilities)
    })
  })
}

function parseJson(text: string): object {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

async function readSource(): Promise<string> {
  const files = await readdir(new URL('src', root), { recursive: true })
  const code = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  return (await Promise.all(code.map((file) => readText(`src/${file}`)))).join('\n')
}

async function readJson<Content>(path: string): Promise<Content> {
  return JSON.parse(await readText(path))
}

function readText(path: string): Promise<string> {
  return readFile(new URL(path, root), 'utf8')
}
