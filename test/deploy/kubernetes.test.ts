import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { SETTINGS } from '../../src/settings.ts'

type Manifest = { kind: string; metadata: { name: string }; spec: Record<string, unknown> }

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const requireYaml = createRequire(createRequire(import.meta.url).resolve('@fastify/swagger'))
const { parseAllDocuments } = requireYaml('yaml') as {
  parseAllDocuments(text: string): { toJS(): Manifest }[]
}
const manifests = parseAllDocuments(read('deploy/kubernetes.yaml')).map((each) => each.toJS())
const findSpec = (kind: string) => manifests.find((each) => each.kind === kind)?.spec ?? {}

test('the pod matches the image in port, volume, unprivileged user and settings', () => {
  const dockerfile = read('Dockerfile')
  const { template } = findSpec('Deployment') as { template: { spec: Pod } }
  const [container] = template.spec.containers
  expect(container?.ports[0]?.containerPort).toBe(SETTINGS.PORT.default)
  expect(dockerfile).toContain('DATA_DIR=/data')
  expect(container?.volumeMounts).toContainEqual({ name: 'data', mountPath: '/data' })
  expect(Object.keys(SETTINGS)).toEqual(
    expect.arrayContaining(container?.env.map(({ name }) => name) ?? []),
  )
  expect(template.spec.securityContext.runAsNonRoot).toBe(true)
  expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(
    SETTINGS.DRAIN_SECONDS.default + 10,
  )
})

test('pods serve visits while the database is away', () => {
  const { template } = findSpec('Deployment') as { template: { spec: Pod } }
  expect(template.spec.containers[0]?.readinessProbe.httpGet.path).toBe('/health/redirects')
})

test('the image has the version of the package', () => {
  const { version } = JSON.parse(read('package.json'))
  expect(read('deploy/kubernetes.yaml')).toContain(`image: registry.example/brevis:${version}\n`)
})

test('the service selects the pod', () => {
  const { selector } = findSpec('Service')
  const { template } = findSpec('Deployment') as { template: { metadata: { labels: unknown } } }
  expect(template.metadata.labels).toEqual(selector)
})

type Pod = {
  securityContext: { runAsNonRoot: boolean }
  terminationGracePeriodSeconds: number
  containers: {
    ports: { containerPort: number }[]
    env: { name: string }[]
    volumeMounts: unknown[]
    readinessProbe: { httpGet: { path: string } }
  }[]
}
