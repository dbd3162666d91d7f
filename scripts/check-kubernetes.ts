import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArguments } from './arguments.ts'

// The types of the package find unknown fields, and its validators find invalid values. It is large, so it is
// installed only for this check.
readArguments(`Usage: bin/node scripts/check-kubernetes.ts

Checks deploy/kubernetes.yaml against the Kubernetes API, with the package kubernetes-models from npm.`)

const PACKAGE = 'kubernetes-models@4.5.1'
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'brevis-kubernetes-'))

type Manifest = { apiVersion: string; kind: string }

try {
  const run = (file: string, ...args: string[]) =>
    execFileSync(file, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] })
  writeFileSync(join(folder, 'package.json'), '{"type": "module", "private": true}')
  run('npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', PACKAGE)
  const manifests = readManifests(join(root, 'deploy/kubernetes.yaml'))
  writeFileSync(join(folder, 'check.ts'), manifests.map(createCheckProgram).join('\n'))
  const options = ['--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'esnext']
  run(process.execPath, join(root, 'node_modules/typescript/bin/tsc'), ...options, 'check.ts')
  run(process.execPath, 'check.js')
  console.log(`${manifests.map(({ kind }) => kind).join(', ')}: valid`)
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function readManifests(path: string): Manifest[] {
  // `yaml` is a dependency of @fastify/swagger.
  const requireFromSwagger = createRequire(
    createRequire(import.meta.url).resolve('@fastify/swagger'),
  )
  const { parseAllDocuments } = requireFromSwagger('yaml') as {
    parseAllDocuments(text: string): { toJS(): Manifest }[]
  }
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => document.toJS())
}

/**
 * Returns a program that does not compile if the manifest has an unknown field, and that throws if
 * it has an invalid value.
 */
function createCheckProgram(manifest: Manifest, index: number): string {
  const { apiVersion, kind } = manifest
  return `import { ${kind} as Kind${index}, type I${kind} as Type${index} } from 'kubernetes-models/${apiVersion}'
const manifest${index}: Type${index} = ${JSON.stringify(manifest)}
new Kind${index}(manifest${index}).validate()`
}
