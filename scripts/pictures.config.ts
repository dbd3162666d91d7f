import { defineConfig } from 'vitest/config'
import { setUpBrowserTests } from '../test/support/chromium.ts'

const browser = await setUpBrowserTests()

// biome-ignore lint/style/noDefaultExport: required by Vitest
export default defineConfig({
  test: {
    include: ['scripts/pictures.ts'],
    provide: browser.provide,
    globalSetup: ['test/support/postgres.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
