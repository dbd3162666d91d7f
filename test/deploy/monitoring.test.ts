import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect } from 'vitest'
import { isInstalled } from '../support/published.ts'
import { appTest, folderTest } from '../support/test.ts'

type Rule = { alert: string; expr: string }
type Target = { expr: string; legendFormat?: string }
type Panel = { title: string; targets?: Target[] }
type Variable = { query: string | { query: string } }

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const ALERTS_FILE = join(ROOT, 'deploy/prometheus-alerts.yaml')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const requireYaml = createRequire(createRequire(import.meta.url).resolve('@fastify/swagger'))
const { parse } = requireYaml('yaml') as { parse(text: string): { groups: { rules: Rule[] }[] } }
const rules = parse(readFileSync(ALERTS_FILE, 'utf8')).groups.flatMap((group) => group.rules)
const dashboard: { panels: Panel[]; templating: { list: Variable[] } } = JSON.parse(
  read('deploy/grafana-dashboard.json'),
)
const { panels } = dashboard
const targets = panels.flatMap((panel) => panel.targets ?? [])
const queries = targets.map(({ expr }) => expr)
const variables = dashboard.templating.list.map(({ query }) =>
  typeof query === 'string' ? query : query.query,
)
const guide = read('docs/metrics.md')

const test = appTest()
  .extend('output', { scope: 'file' }, async ({ request, owner }) => {
    // Some series begin with the first request.
    await request({ url: '/api/account', headers: owner.headers })
    await request({ url: '/no-such-alias' })
    return (await request({ url: '/metrics', remoteAddress: '127.0.0.1' })).body
  })
  .extend('metrics', { scope: 'file' }, ({ output }) =>
    [...output.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '']) => name),
  )

/** Returns the metrics in a query or in text. A histogram's series count as the histogram. */
function findMetrics(text: string): string[] {
  const names = text.match(/\b(?:brevis|process|nodejs)_\w+/g) ?? []
  return names.map((name) =>
    name.replace(/_duration_seconds_(?:bucket|sum|count)$/, '_duration_seconds'),
  )
}

test('the guide has every metric, and no other', ({ metrics }) => {
  const rows = [...guide.matchAll(/^\| (`[^|]+`) \| [a-z, ]+ \|/gm)].map(([, names = '']) => names)
  const listed = rows.flatMap(findMetrics)
  expect(new Set(listed).size).toBe(listed.length)
  // Other systems have fewer metrics of processes.
  if (process.platform === 'linux') expect(listed.sort()).toEqual([...metrics].sort())
  else expect(listed).toEqual(expect.arrayContaining(metrics))
})

test('the guide has every alert', () => {
  expect(rules.length).toBeGreaterThanOrEqual(8)
  const listed = [...guide.matchAll(/^\| `(Brevis\w+)` \|/gm)].map(([, name]) => name)
  expect(listed).toEqual(rules.map(({ alert }) => alert))
})

test.for([
  ['the alerts', rules.map(({ expr }) => expr)],
  ['the dashboard', [...queries, ...variables]],
  ['the guide to operating', [read('docs/operating.md')]],
] as const)('%s name only metrics that exist', ([_name, texts], { metrics }) => {
  const named = texts.flatMap(findMetrics)
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter((name) => !metrics.includes(name))).toEqual([])
})

/** Labels that Prometheus adds to every series. */
const ADDED_LABELS = ['instance', 'job']

test('the dashboard uses only labels, and values of labels, that its metrics have', ({
  output,
}) => {
  const labelsOf = (metric: string) => {
    const series = output.matchAll(new RegExp(`^${metric}\\{([^}]*)\\}`, 'gm'))
    return [...series].flatMap(([, labels = '']) => labels.match(/\w+="[^"]*"/g) ?? [])
  }
  let checked = 0
  for (const { expr, legendFormat = '' } of targets) {
    const [metric = ''] = expr.match(/\b(?:brevis|process|nodejs)_\w+/) ?? []
    const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) =>
      names.split(/,\s*/),
    )
    const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name)
    const labels = labelsOf(metric)
    for (const name of [...grouped, ...named].filter((each) => !ADDED_LABELS.includes(each))) {
      expect([expr, labels.map((label) => label.split('=', 1)[0])]).toEqual([
        expr,
        expect.arrayContaining([name]),
      ])
      checked += 1
    }
    for (const [pair] of expr.matchAll(/\b\w+="[^$"]*"/g)) {
      expect([expr, labels]).toEqual([expr, expect.arrayContaining([pair])])
      checked += 1
    }
  }
  expect(checked).toBeGreaterThan(10)
})

test('every panel of the dashboard has a query', () => {
  expect(queries.length).toBeGreaterThan(20)
  for (const { title, targets } of panels.filter((panel) => panel.targets)) {
    expect([title, targets?.length]).not.toEqual([title, 0])
  }
})

const STEADY = '+0x40'
/** Values at which each alert fires after 20 minutes. */
const firing: Record<string, Record<string, string>> = {
  BrevisClicksLost: { brevis_clicks_lost_total: '0+1x40' },
  BrevisWorkersMissing: { brevis_workers: `1${STEADY}`, brevis_workers_expected: `2${STEADY}` },
  BrevisDatabaseDown: { brevis_database_up: `0${STEADY}` },
  BrevisClicksNotImported: { brevis_importer_up: `0${STEADY}` },
  BrevisLinkStoreStale: { brevis_link_store_lag_seconds: '60+60x40' },
  BrevisDiskFull: {
    brevis_data_disk_free_bytes: `4000000000${STEADY}`,
    brevis_data_disk_size_bytes: `100000000000${STEADY}`,
  },
  BrevisQueueStuck: { 'brevis_queue_oldest_seconds{queue="mail"}': '0+60x40' },
  BrevisVisitsSlow: {
    'brevis_visit_duration_seconds_bucket{le="0.25"}': '0+58x40',
    'brevis_visit_duration_seconds_bucket{le="1"}': '0+60x40',
    'brevis_visit_duration_seconds_bucket{le="+Inf"}': '0+60x40',
  },
}

const healthy: Record<string, string> = {
  brevis_clicks_lost_total: `3${STEADY}`,
  brevis_workers: `2${STEADY}`,
  brevis_workers_expected: `2${STEADY}`,
  brevis_database_up: `1${STEADY}`,
  brevis_importer_up: `1${STEADY}`,
  brevis_importer_failing_seconds: `0${STEADY}`,
  brevis_importer_lag_seconds: `NaN${STEADY}`,
  brevis_link_store_lag_seconds: `1${STEADY}`,
  brevis_data_disk_free_bytes: `9000000000${STEADY}`,
  brevis_data_disk_size_bytes: `100000000000${STEADY}`,
  'brevis_queue_oldest_seconds{queue="mail"}': `30${STEADY}`,
  'brevis_visit_duration_seconds_bucket{le="0.25"}': '0+60x40',
  'brevis_visit_duration_seconds_bucket{le="+Inf"}': '0+60x40',
}

const toolTest = folderTest().skipIf(!isInstalled('promtool'))

describe('promtool', () => {
  toolTest('accepts the alerts and the queries of the dashboard', async ({ folder }) => {
    const file = join(folder, 'queries.json')
    const recorded = queries.map((expr, index) => ({
      record: `query_${index}`,
      expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$__range', '1h'),
    }))
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: recorded }] }))
    const output = execFileSync('promtool', ['check', 'rules', ALERTS_FILE, file]).toString()
    expect(output).toContain(`${rules.length} rules found`)
    expect(output).toContain(`${queries.length} rules found`)
  })

  toolTest('finds that each alert fires when it should, and none otherwise', async ({ folder }) => {
    expect(Object.keys(firing)).toEqual(rules.map(({ alert }) => alert))
    const createCase = (series: Record<string, string>, selector: string, count: number) => ({
      interval: '1m',
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      promql_expr_test: [
        {
          eval_time: '30m',
          expr: `count(ALERTS{alertstate="firing"${selector}})`,
          exp_samples: count > 0 ? [{ labels: '{}', value: count }] : [],
        },
      ],
    })
    const cases = Object.entries(firing).map(([alert, series]) =>
      createCase(series, `,alertname="${alert}"`, 1),
    )
    const noMetrics = createCase({}, ',alertname="BrevisWorkersMissing"', 1)
    const file = join(folder, 'cases.json')
    await writeFile(
      file,
      JSON.stringify({
        rule_files: [ALERTS_FILE],
        tests: [...cases, noMetrics, createCase(healthy, '', 0)],
      }),
    )
    expect(execFileSync('promtool', ['test', 'rules', file]).toString()).toContain('SUCCESS')
  })
})
