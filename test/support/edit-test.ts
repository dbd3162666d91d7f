import { getLinkWithParts } from '../../src/links/link.service.ts'
import { listLinks } from '../../src/links/link-list.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { signIn } from './console.ts'
import type { Fields } from './forms.ts'
import { valuesOf } from './link-form.ts'
import { appTest } from './test.ts'

/**
 * Returns a `test` for the link form: `person` is signed in as `owner`, and `form` submits and reads
 * the forms of `owner`'s links.
 */
export function editTest(env: Record<string, string> = {}) {
  return appTest({ env })
    .extend('person', { scope: 'file' }, ({ app, owner }) => signIn(app, owner.account.email))
    .extend('form', { scope: 'file' }, ({ app, person, owner }) => ({
      create: (values: Fields) => person.send('/console/links/new', values),
      change: (id: number, values: Fields) => person.send(`/console/links/${id}/edit`, values),
      /** Returns the values that a browser would submit from a link's unchanged form. */
      readValues: async (id: number) =>
        valuesOf((await person.open(`/console/links/${id}/edit`)).body),
      getStored: (id: number) => getLinkWithParts(scopeOf(app.services, owner.account.id), id),
      async getNewest() {
        const page = { order: 'date', limit: 1, offset: 0 } as const
        const { entries, total } = await listLinks(scopeOf(app.services, owner.account.id), page)
        return { id: entries[0]?.id ?? 0, total }
      },
    }))
}
