import { listLogLines } from '../../src/operator-log/operator-log.service.ts'
import { addReport } from '../../src/reports/report.service.ts'
import { newAddress } from './addresses.ts'
import { signIn } from './console.ts'
import type { Fields } from './forms.ts'
import { appTest } from './test.ts'

export const PATH = '/console/operator/reports'

/**
 * Returns a `test` for visitors' reports: `reports` has an admin, an ordinary user, and actions on
 * reports.
 */
export function reportsTest() {
  return appTest().extend('reports', { scope: 'file' }, async ({ app, make, owner, request }) => {
    const { db } = app.services.database
    const other = await make.owner({ username: 'other' })
    const admin = await signIn(app, owner.account.email)
    return {
      other,
      admin,
      ordinary: await signIn(app, other.account.email),
      /** Reports a link as this many new visitors. Returns the id of its open report. */
      async report(linkId: number, { times = 1, reason = 'phishing', text = '' } = {}) {
        for (let n = 0; n < times; n += 1) {
          await addReport(app.services, app.services.db, linkId, newAddress(), {
            reason,
            text,
          })
        }
        const { id } = await db
          .selectFrom('link_reports')
          .select('id')
          .where('link_id', '=', linkId)
          .where('settled_at', 'is', null)
          .executeTakeFirstOrThrow()
        return id
      },
      /** Opens the form of a report, runs `meanwhile`, and submits the form. */
      async decide(id: number, choice: Fields, meanwhile: () => Promise<unknown> = async () => {}) {
        const { body } = await admin.open(PATH)
        const form = body.split(`action="${PATH}/${id}"`)[1]?.split('</form>')[0] ?? ''
        const digest = /name="seen" value="([^"]+)"/.exec(form)?.[1] ?? ''
        await meanwhile()
        return admin.send(`${PATH}/${id}`, { seen: digest, ...choice })
      },
      getDecision: (id: number) =>
        db
          .selectFrom('link_reports')
          .select(['decision', 'settled_by'])
          .where('id', '=', id)
          .executeTakeFirst(),
      listLog: async (subject: string) =>
        (await listLogLines(app.services.db, { subject }, { limit: 5 })).map((line) => [
          line.actor,
          line.action,
          line.detail,
        ]),
      visit: async (alias: string) => (await request({ url: `/${alias}` })).statusCode,
    }
  })
}
