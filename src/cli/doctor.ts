import { examine } from '../doctor/doctor.ts'
import { type Finding, failure } from '../doctor/finding.ts'
import { defineCommand } from './command.ts'
import { generateJsonList } from './json-list.ts'

export const doctor = defineCommand({
  summary: 'check folder, database, clock, journal, store, URL, certificate, mail and country data',
  async run({ config, databaseUrl, json }) {
    return report(examine(config, { openUrl: () => databaseUrl(), now: new Date() }), json)
  },
  reportInvalidSettings: (error, json) => report(rejectSettings(error), json),
})

/** Yields the problem of the settings, without which nothing else can be checked. */
async function* rejectSettings({ message }: Error): AsyncGenerator<Finding> {
  yield {
    check: 'settings',
    ...failure(message.replaceAll('\n', '; '), 'Correct the settings. All other checks need them.'),
  }
}

/** Yields every finding, then throws if there were errors, so that the exit code is 1. */
async function* report(findings: AsyncIterable<Finding>, json: boolean): AsyncGenerator<string> {
  let errors = 0
  const counted = (async function* () {
    for await (const finding of findings) {
      if (finding.state === 'error') errors += 1
      yield finding
    }
  })()
  if (json) yield* generateJsonList('findings', counted, (finding) => finding)
  else for await (const finding of counted) yield format(finding)
  if (errors > 0) throw new Error(errors === 1 ? '1 check failed' : `${errors} checks failed`)
}

function format({ check, state, detail, remedy }: Finding): string {
  const line = `${state.padEnd(7)}  ${check}: ${detail}`
  const lines = remedy === null ? [line] : [line, `         ${remedy}`]
  return lines.map((text) => `${text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')}\n`).join('')
}
