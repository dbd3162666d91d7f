#!/usr/bin/env node
const args = process.argv.slice(2)

if (args.length === 1 && args[0] === 'start') {
  await import('./main.ts')
} else {
  const { run } = await import('./cli/run.ts')
  process.exitCode = await run(args)
}
