import { startEmbedded } from '../../src/embedded-postgres/embedded-postgres.ts'

// Another process on the same data folder: prints its server, and stops it when its input ends.
const [dataDir = ''] = process.argv.slice(2)
const { url, started, stop } = await startEmbedded(dataDir, { settings: { fsync: 'off' } })
process.stdout.write(`${JSON.stringify({ url, started })}\n`)
for await (const _ of process.stdin);
await stop()
