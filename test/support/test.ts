import { test } from 'vitest'
import { type TestAppOptions, testApp } from './app.ts'

/**
 * Tests of the real app: `app` on a database of its own for each file, with the file's settings if
 * it has any; `make` and `request` of that app, and `owner`, an account with a key.
 */
export function appTest(options: TestAppOptions = {}) {
  return test
    .extend('options', { scope: 'file' }, () => options)
    .extend('app', { scope: 'file' }, async ({ options }, { onCleanup }) => {
      const app = await testApp(options)
      onCleanup(app.close)
      return app
    })
    .extend('make', { scope: 'file' }, ({ app }) => app.make)
    .extend('request', { scope: 'file' }, ({ app }) => app.request)
    .extend('owner', { scope: 'file' }, ({ make }) => make.owner())
}
