import { spawnSync } from 'node:child_process'
import { cpSync, globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArguments } from './arguments.ts'

readArguments(`Usage: npm run build

Compiles src to dist for the package, because Node.js does not strip types in files below node_modules.`)

const root = fileURLToPath(new URL('..', import.meta.url))
const tsc = join(root, 'node_modules/typescript/bin/tsc')

rmSync(join(root, 'dist'), { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [tsc, '--project', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
})
if (status !== 0) process.exit(1)
// Browser scripts, styles and data are copied unchanged.
for (const file of globSync('src/**/*.{js,css,json}', { cwd: root })) {
  cpSync(join(root, file), join(root, file.replace(/^src/, 'dist')))
}
