import { globSync } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { parseEnv } from 'node:util'
import { describe, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { readConfig } from '../../src/config.ts'
import { SETTINGS as settings } from '../../src/settings.ts'

const root = new URL('../../', import.meta.url)
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...globSync('docs/*.md', { cwd: root }),
]
const dockerfile = parseDockerfile(await readText('Dockerfile'))

describe('Dockerfile', () => {
  test('copies files that exist and are in the build context', async () => {
    const ignored = (await readText('.dockerignore')).split('\n').filter(Boolean)
    const sources = findArguments('COPY').flatMap((words) => words.split(' ').slice(0, -1))
    expect(sources).toEqual(
      expect.arrayContaining(['package-lock.json', 'bin', 'src', 'locales', 'migrations']),
    )
    for (const source of sources) {
      await access(new URL(source, root))
      expect(ignored).not.toContain(source)
    }
    expect(ignored).toEqual(expect.arrayContaining(['node_modules', 'data', '.git']))
  })

  test('runs the same command as npm start, with a recent Node', async () => {
    const { scripts } = await readManifest()
    const command: string[] = JSON.parse(findArguments('CMD')[0] ?? '')
    // The image is read-only, so compiled code is not cached in it.
    const startedCommand = scripts.start?.replace(/^NODE_COMPILE_CACHE=\S+ exec bin\//, '')
    expect(startedCommand).toBe(command.join(' '))
    const [, major] = /^node:(\d+)/.exec(findArguments('FROM')[0] ?? '') ?? []
    expect(Number(major)).toBeGreaterThanOrEqual(await readRequiredNodeVersion())
  })

  test('sets only known settings, does not run as root, and has a health check', () => {
    const namesInUse = findArguments('ENV').flatMap((words) => Object.keys(parseWords(words)))
    const known = ['NODE_ENV', ...Object.keys(settings)]
    expect(known).toEqual(expect.arrayContaining(namesInUse))
    expect(findArguments('USER')).toEqual(['node'])
    expect(findArguments('HEALTHCHECK')[0]).toContain('/health/redirects')
    expect(findArguments('EXPOSE')).toEqual([String(settings.PORT.default)])
  })
})

describe('the bundled Node', () => {
  test('is recent enough on every platform', async () => {
    const { optionalDependencies } = await readManifest()
    const versions = Object.entries(optionalDependencies).filter(([name]) => /^node-/.test(name))
    expect(versions.length).toBeGreaterThan(2)
    for (const [name, version] of versions) {
      expect(Number.parseInt(version, 10), name).toBeGreaterThanOrEqual(
        await readRequiredNodeVersion(),
      )
    }
  })
})

describe('docker-compose.yml', () => {
  test('runs the image with a supported PostgreSQL', async () => {
    const { services, volumes } = await readCompose()
    const { app, db } = services
    if (!app || !db) throw new Error('app or db is missing')
    expect(app.build).toBe('.')
    expect(Number(/^postgres:(\d+)/.exec(db.image ?? '')?.[1])).toBeGreaterThanOrEqual(15)
    expect(Object.keys(settings)).toEqual(
      expect.arrayContaining(Object.keys(app.environment ?? {})),
    )
    expect(app.depends_on?.db).toEqual({ condition: 'service_healthy' })
    expect(db.healthcheck).toBeDefined()
    const used = [app, db].flatMap((service) => service.volumes ?? [])
    expect(used.map((volume) => volume.split(':')[0]).sort()).toEqual(Object.keys(volumes).sort())
  })

  test('keeps the journal and allows enough time to stop', async () => {
    const { services } = await readCompose()
    const folder = parseWords(findArguments('ENV')[0] ?? '').DATA_DIR
    expect(services.app?.volumes).toEqual([expect.stringMatching(new RegExp(`:${folder}$`))])
    expect(findArguments('VOLUME')).toEqual([folder])
    expect(Number.parseInt(services.app?.stop_grace_period ?? '', 10)).toBeGreaterThan(15)
  })

  test('connects to the database it creates', async () => {
    const { services } = await readCompose()
    const insertDefaults = (text: unknown) => String(text).replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
    const url = new URL(insertDefaults(services.app?.environment?.DATABASE_URL))
    expect([url.username, url.password, url.hostname, url.pathname]).toEqual([
      services.db?.environment?.POSTGRES_USER,
      insertDefaults(services.db?.environment?.POSTGRES_PASSWORD),
      'db',
      `/${services.db?.environment?.POSTGRES_DB}`,
    ])
  })
})

describe('.env.example', () => {
  test('lists every setting with its default', async () => {
    const listed = parseEnv((await readText('.env.example')).replaceAll(/^#(?=[A-Z_]+=)/gm, ''))
    expect(Object.keys(listed).sort()).toEqual(Object.keys(settings).sort())
    for (const [name, { default: value }] of Object.entries(settings)) {
      // A setting without a default may show an example value.
      if (value !== '') expect(listed[name], name).toBe(String(value))
    }
    expect(() => readConfig(listed)).not.toThrow()
  })

  test('contains only comments, so that a copy changes nothing', async () => {
    expect(parseEnv(await readText('.env.example'))).toEqual({})
  })
})

describe('the documentation', () => {
  test('names npm scripts that exist', async () => {
    const { scripts } = await readManifest()
    const text = `${await readText('README.md')}\n${await readText('CONTRIBUTING.md')}`
    const matches = text.matchAll(/npm (?:run ([\w:-]+)|(start|test))/g)
    const named = [...matches].map(([, script, short]) => script ?? short)
    expect(named).toEqual(expect.arrayContaining(['start', 'test', 'check']))
    for (const script of named) expect(Object.keys(scripts)).toContain(script)
  })

  test.each(PAGES)('%s names commands that exist', async (page) => {
    const matches = (await readText(page)).matchAll(/npx brevis ([a-z]+(?: [a-z-]+)?)/g)
    const known = Object.keys(commands)
    for (const [, command = ''] of matches) {
      const [first = ''] = command.split(' ')
      expect(known.includes(command) || known.includes(first), command).toBe(true)
    }
  })

  test.each(PAGES)('%s links to files that exist', async (page) => {
    const links = [...(await readText(page)).matchAll(/\]\(([^)#:]+)\)/g)]
    for (const [, link = ''] of links) await access(new URL(link, new URL(page, root)))
  })
})

type Compose = {
  services: Record<string, Service | undefined>
  volumes: Record<string, unknown>
}
type Service = {
  build?: string
  image?: string
  environment?: Record<string, string>
  volumes?: string[]
  depends_on?: Record<string, unknown>
  healthcheck?: unknown
  stop_grace_period?: string
}

async function readCompose(): Promise<Compose> {
  // `yaml` is a dependency of @fastify/swagger.
  const requireYaml = createRequire(createRequire(import.meta.url).resolve('@fastify/swagger'))
  const { parse } = requireYaml('yaml') as { parse(text: string): unknown }
  return parse(await readText('docker-compose.yml')) as Compose
}

/** Returns the major version that `bin/node` requires. */
async function readRequiredNodeVersion(): Promise<number> {
  return Number(/^needed=(\d+)$/m.exec(await readText('bin/node'))?.[1])
}

async function readManifest() {
  type Manifest = {
    scripts: Record<string, string>
    optionalDependencies: Record<string, string>
  }
  return JSON.parse(await readText('package.json')) as Manifest
}

/** Returns the instructions of a Dockerfile, with continued lines joined. */
function parseDockerfile(text: string): { name: string; words: string }[] {
  return text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [name = ''] = line.split(' ')
      return { name, words: line.slice(name.length + 1) }
    })
}

function findArguments(name: string): string[] {
  return dockerfile.filter((instruction) => instruction.name === name).map(({ words }) => words)
}

function parseWords(words: string): Record<string, string | undefined> {
  return parseEnv(words.split(' ').join('\n'))
}

function readText(path: string): Promise<string> {
  return readFile(new URL(path, root), 'utf8')
}
