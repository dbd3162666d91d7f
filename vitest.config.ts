import { configDefaults, defineConfig } from 'vitest/config'
import { setUpBrowserTests } from './test/support/chromium.ts'

const browser = await setUpBrowserTests()

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...browser.exclude],
    provide: browser.provide,
    globalSetup: ['postgres', 'compile-cache', 'clusters'].map((name) => `test/support/${name}.ts`),
    reporters: ['default', './test/support/count-reporter.ts'],
    // Waiting long costs nothing unless a test hangs. On a busy machine, tests that start browsers,
    // processes or servers take many times as long.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    // Two for each of two processors: many tests wait, for processes, locks and intervals. With five,
    // services that tests stop exceed their time limits.
    maxWorkers: 4,
    // Each file imports half the service: in workers of their own they took twice the processor's time.
    isolate: false,
    // Apps leave much garbage. Collecting it less often, and on one thread, saves processor time.
    execArgv: [
      '--max-semi-space-size=64',
      '--initial-old-space-size=1024',
      '--no-memory-reducer',
      '--single-threaded-gc',
    ],
    restoreMocks: true,
    coverage: {
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'html'],
      // About a point below the measured values. Most uncovered branches are defaults that the
      // compiler requires, such as `?? 0`, and checks for errors that no test causes.
      thresholds: {
        branches: 90,
        'src/identity/**': { branches: 89 },
        'src/clicks/{encoding,import,journal,maintenance,statistics}/**': { branches: 94 },
        'src/http/request/**': { branches: 94 },
        'src/links/rules/**': { branches: 94 },
        'src/net/**': { branches: 94 },
      },
    },
  },
})
