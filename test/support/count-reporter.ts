import type { Reporter, TestModule } from 'vitest/node'

/**
 * Ends the run with a machine-readable line: `N passed, N failed`, followed by `, N skipped` if tests
 * were skipped.
 */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0
    let failed = errors.length
    let skipped = 0
    for (const module of modules) {
      // A file that could not be loaded has no failed tests but is a failure.
      if (module.errors().length > 0) failed += 1
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') passed += 1
        else if (state === 'failed') failed += 1
        else skipped += 1
      }
    }
    const skips = skipped > 0 ? `, ${skipped} skipped` : ''
    process.on('exit', () => process.stdout.write(`${passed} passed, ${failed} failed${skips}\n`))
  }
}
