import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/postgres.ts', 'test/support/compile-cache.ts'],
    reporters: ['default', './test/support/count-reporter.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    coverage: {
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'html'],
      thresholds: {
        branches: 90,
        'src/accounts/**': { branches: 100 },
        'src/clicks/{journal*,segment-name}.ts': { branches: 100 },
        'src/clicks/{collect,housekeeping,importer,known-links}.ts': { branches: 100 },
        'src/clicks/{label-ids,partitions,positions.queries}.ts': { branches: 100 },
        'src/clicks/{batch,details.queries,import.queries,label-counts}.ts': { branches: 100 },
        'src/clicks/{pg-binary,prepare,rollup,visitor-set}.ts': { branches: 100 },
        'src/db/rate-window.ts': { branches: 100 },
        'src/http/{auth,request-line}.ts': { branches: 100 },
        'src/links/{alias,expiry,target-url}.ts': { branches: 100 },
        'src/net/**': { branches: 100 },
      },
    },
  },
})
